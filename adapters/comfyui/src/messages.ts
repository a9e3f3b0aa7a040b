import { pictureTypeOf } from '@plinth/plugin-image/model';
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

/** A message of the socket; a latent preview has a picture. */
export type Message = z.output<typeof messageSchema> & { readonly preview?: VideoPreview };

/** Reads a message of the socket. Undefined for messages of other kinds and for invalid ones. */
export function readMessage(data: unknown): Message | undefined {
	try {
		return data instanceof ArrayBuffer ? readFrame(Buffer.from(data)) : messageSchema.parse(JSON.parse(`${data}`));
	} catch {
		return undefined;
	}
}

/**
 * A binary frame starts with two integers of 32 bits, big-endian. The first is its type. Type 1: the picture follows.
 * Type 4: the second is the length of a text; the text and the picture follow.
 */
function readFrame(frame: Buffer): Message | undefined {
	const type = frame.readUInt32BE(0);
	if (type !== 1 && type !== 4) return undefined;
	const body = frame.subarray(type === 1 ? 8 : 8 + frame.readUInt32BE(4));
	const mediaType = pictureTypeOf(body) === 'image/png' ? 'image/png' : 'image/jpeg';
	return { type: 'preview', data: {}, preview: { body, mediaType } };
}

/** Returns a function from each message to the completed fraction, which never falls. All nodes count the same. */
export function progressOf(nodes: readonly string[]): (message: Message) => number {
	const fractions = new Map(nodes.map((node) => [node, 0]));
	let current = '';
	const raise = (node: string, fraction: number) => {
		const before = fractions.get(node);
		// Nodes of a subgraph that is created during the run are not in the workflow.
		if (before !== undefined) fractions.set(node, Math.max(before, fraction));
	};
	return ({ type, data }) => {
		const { node, nodes = [] } = data;
		if (Array.isArray(nodes)) for (const id of nodes) raise(id, 1);
		else for (const [id, state] of Object.entries(nodes)) raise(id, fractionOf(state));
		if (type === 'progress' && node) raise(node, fractionOf(data));
		if (type === 'executing') {
			raise(current, 1);
			current = node ?? '';
		}
		return [...fractions.values()].reduce((sum, fraction) => sum + fraction, 0) / fractions.size;
	};
}

function fractionOf({ value = 0, max = 1, state }: z.output<typeof nodeSchema>): number {
	if (state === 'finished') return 1;
	return max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
}
