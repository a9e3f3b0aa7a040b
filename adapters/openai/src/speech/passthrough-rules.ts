import type { RawBody } from '@plinth/core';
import type { AudioFormat } from '@plinth/plugin-speech/model';
import { knownMembers } from '../upstream/passthrough-hooks.ts';

const known: ReadonlySet<string> = new Set(['model', 'input', 'voice', 'response_format', 'speed', 'instructions']);

/** The media types of formats that are good as they come. Not `pcm`: only its server knows the sample rate. */
export const passthroughFormats: ReadonlyMap<AudioFormat, ReadonlySet<string>> = new Map([
	['mp3', new Set(['audio/mpeg', 'audio/mp3', 'audio/mpeg3', 'audio/x-mp3', 'audio/x-mpeg'])],
	['opus', new Set(['audio/ogg', 'audio/opus', 'application/ogg'])],
	['aac', new Set(['audio/aac', 'audio/aacp', 'audio/x-aac'])],
	['flac', new Set(['audio/flac', 'audio/x-flac'])],
	['wav', new Set(['audio/wav', 'audio/wave', 'audio/x-wav', 'audio/vnd.wave'])],
]);

/** The format that a speech is asked for in, where OpenAI's own API takes the request as it is written. */
export function passthroughFormat(raw: RawBody, voices: readonly string[] | undefined): AudioFormat | undefined {
	const body = knownMembers(raw, known);
	if (!body) return undefined;
	const { response_format: format, voice } = body;
	if (typeof voice !== 'string' || voices?.includes(voice) === false) return undefined;
	return format as AudioFormat | undefined;
}
