import { z } from 'zod';

/** A reference to work that a model has started at an upstream. */
export interface Checkpoint {
	/** The id of the model that wrote the checkpoint. Only this model can resume from it. */
	readonly model: string;
	/** Opaque; only the model reads it. */
	readonly token: string;
}

const schema = z.strictObject({ model: z.string().min(1), token: z.string() });

/** Serialises a checkpoint for the job record. */
export function writeCheckpoint({ model, token }: Checkpoint): string {
	return JSON.stringify({ model, token });
}

/**
 * Parses a checkpoint from a record. Records of earlier versions hold only the token; it belongs to
 * `named`, the model of the job.
 */
export function readCheckpoint(text: string, named: string): Checkpoint {
	return schema.safeParse(jsonOf(text)).data ?? { model: named, token: text };
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
