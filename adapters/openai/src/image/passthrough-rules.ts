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

/** The names that the API has today; older and newer ones are translated. */
const qualities: ReadonlySet<unknown> = new Set([undefined, 'auto', 'low', 'medium', 'high']);

/** Whether OpenAI's API takes a generation of pictures as it is written, and answers with all pictures at once. */
export function allowsImagePassthrough(raw: RawBody): boolean {
	const body = knownMembers(raw, known);
	if (!body) return false;
	const { output_compression: compression, output_format: format = 'png', quality, stream } = body;
	// PNG with a compression is refused there.
	const isFormat = compression === undefined || format === 'jpeg' || format === 'webp';
	return isFormat && qualities.has(quality) && (stream === undefined || stream === false);
}
