import { createHash } from 'node:crypto';
import { isUpload } from '@plinth/core';
import type { ChatOptions } from './options.ts';
import type { RawMessage } from './raw-messages.ts';

/** The seed that a client sent, or the first 32 bits of a SHA-256 over everything that shapes the answer: equal requests get equal ones. */
export function seedOf(
	model: string,
	{ tools, toolChoice, format }: ChatOptions,
	drafts: readonly RawMessage[],
	sent: number | undefined,
): number {
	if (sent !== undefined) return sent >>> 0;
	const hash = createHash('sha256').update(JSON.stringify([model, tools, toolChoice, format]));
	for (const draft of drafts) hash.update(JSON.stringify(draft, byContent));
	return hash.digest().readUInt32BE(0);
}

/** Where a file lies differs from request to request, what it holds does not. */
function byContent(_key: string, value: unknown): unknown {
	return isUpload(value) ? value.sha256 : value;
}
