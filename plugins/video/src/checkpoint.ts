import { z } from 'zod';

/** What stands for work that a model has begun elsewhere. */
export interface Checkpoint {
	/** The id of the model that wrote it, and that alone can go on from it. */
	readonly model: string;
	/** In the model's own words. */
	readonly token: string;
}

const schema = z.strictObject({ model: z.string().min(1), token: z.string() });

/** A checkpoint as a job's record holds it. */
export function writeCheckpoint({ model, token }: Checkpoint): string {
	return JSON.stringify({ model, token });
}

/** Reads a checkpoint back from a record. Records of earlier versions hold the token alone: it belongs to `named`, the model of the job. */
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
