import type { VideoPreview } from '@plinth/plugin-video/model';
import { z } from 'zod';

const nodeSchema = z.object({ value: z.number().optional(), max: z.number().optional(), state: z.string().optional() });
const messageSchema = z.object({
	type: z.string(),
	data: nodeSchema.extend({
		prompt_id: z.string().nullish(),
		node: z.string().nullish(),
		/** `execution_cached` names nodes; `progress_state` has the state of each. */
		nodes: z.union([z.array(z.string()), z.record(z.string(), nodeSchema)]).optional(),
		status: z.object({ exec_info: z.object({ queue_remaining: z.number() }) }).optional(),
	}),
});
const previewSchema = z.object({ prompt_id: z.string().nullish(), image_type: z.string().optional() });

/** A message of the socket; a latent preview has a picture. */
export type Message = z.output<typeof messageSchema> & { readonly preview?: VideoPreview };

/** Reads a message of the socket. Undefined for those of other kinds, and for broken ones. */
export function readMessage(data: unknown): Message | undefined {
	try {
		return data instanceof ArrayBuffer ? readFrame(Buffer.from(data)) : messageSchema.parse(JSON.parse(`${data}`));
	} catch {
		return undefined;
	}
}

/**
 * A binary frame starts with two integers of 32 bits, big-endian. The first is its type. Type 1: the second is the
 * format, 2 for PNG; the picture follows. Type 4: it is the length of a JSON text; the text and the picture follow.
 */
function readFrame(frame: Buffer): Message | undefined {
	const [type, second] = [frame.readUInt32BE(0), frame.readUInt32BE(4)];
	if (type !== 1 && type !== 4) return undefined;
	const start = type === 1 ? 8 : 8 + second;
	const described = type === 1 ? {} : previewSchema.parse(JSON.parse(frame.toString('utf8', 8, start)));
	const isPng = type === 1 ? second === 2 : described.image_type === 'image/png';
	const preview = { body: frame.subarray(start), mediaType: isPng ? 'image/png' : 'image/jpeg' } as const;
	return { type: 'preview', data: { prompt_id: described.prompt_id }, preview };
}

/** One fraction over all nodes of a workflow, in which each node counts the same. It never falls. */
export class Progress {
	readonly #parts: Map<string, number>;
	#current = '';

	constructor(nodes: readonly string[]) {
		this.#parts = new Map(nodes.map((node) => [node, 0]));
	}

	/** The fraction after a message. */
	after({ type, data }: Message): number {
		const { node, nodes = [] } = data;
		if (Array.isArray(nodes)) for (const id of nodes) this.#raise(id, 1);
		else for (const [id, state] of Object.entries(nodes)) this.#raise(id, partOf(state));
		if (type === 'progress' && node) this.#raise(node, partOf(data));
		if (type === 'executing') {
			this.#raise(this.#current, 1);
			this.#current = node ?? '';
		}
		return [...this.#parts.values()].reduce((sum, part) => sum + part, 0) / this.#parts.size;
	}

	#raise(node: string, part: number): void {
		const before = this.#parts.get(node);
		// Nodes of a subgraph that is made during the work are not in the workflow.
		if (before !== undefined) this.#parts.set(node, Math.max(before, part));
	}
}

function partOf({ value = 0, max = 1, state }: z.output<typeof nodeSchema>): number {
	if (state === 'finished') return 1;
	return max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
}
