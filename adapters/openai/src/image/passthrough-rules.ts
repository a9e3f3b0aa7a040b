import type { RawBody } from '@plinth/core';
import { knownMembers } from '../upstream/passthrough-hooks.ts';

const known: ReadonlySet<string> = new Set([
	'model',
	'prompt',
	'n',
	'size',
	'quality',
	'background',
	'output_format',
	'output_compression',
	'moderation',
	'stream',
	'user',
]);

/** The values of the current API. Other values are translated. */
const qualities: ReadonlySet<unknown> = new Set([undefined, 'auto', 'low', 'medium', 'high']);

/** Whether OpenAI's API accepts a generation unchanged and returns all pictures in one response. */
export function allowsImagePassthrough(raw: RawBody): boolean {
	const body = knownMembers(raw, known);
	if (!body) return false;
	const { output_compression: compression, output_format: format = 'png', quality, stream } = body;
	// OpenAI's API refuses PNG with a compression.
	const isFormat = compression === undefined || format === 'jpeg' || format === 'webp';
	return isFormat && qualities.has(quality) && (stream === undefined || stream === false);
}
