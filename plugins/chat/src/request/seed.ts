import { createHash } from 'node:crypto';
import { isUpload } from '@plinth/core';
import type { ChatOptions } from './options.ts';
import type { RawMessage } from './raw-messages.ts';

/**
 * The requested seed, or the first 32 bits of a SHA-256 over everything that affects the answer: equal
 * requests get equal answers.
 */
export function seedOf(
	model: string,
	{ tools, toolChoice, format }: ChatOptions,
	messages: readonly RawMessage[],
	requested: number | undefined,
): number {
	if (requested !== undefined) return requested >>> 0;
	const hash = createHash('sha256').update(JSON.stringify([model, tools, toolChoice, format]));
	for (const message of messages) hash.update(JSON.stringify(message, byContent));
	return hash.digest().readUInt32BE(0);
}

/** The path of a file differs between requests; its content does not. */
function byContent(_key: string, value: unknown): unknown {
	return isUpload(value) ? value.sha256 : value;
}
