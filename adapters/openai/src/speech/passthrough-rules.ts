import type { RawBody } from '@plinth/core';
import type { AudioFormat } from '@plinth/plugin-speech/model';
import { knownMembers } from '../upstream/passthrough-hooks.ts';
import { members } from '../upstream/reported-error.ts';

const known: ReadonlySet<string> = new Set(['model', 'input', 'voice', 'response_format', 'speed', 'instructions']);

/** The media types of formats that can pass through. Not `pcm`: its sample rate is unknown. */
export const passthroughFormats: ReadonlyMap<AudioFormat, ReadonlySet<string>> = new Map([
	['mp3', new Set(['audio/mpeg', 'audio/mp3', 'audio/mpeg3', 'audio/x-mp3', 'audio/x-mpeg'])],
	['opus', new Set(['audio/ogg', 'audio/opus', 'application/ogg'])],
	['aac', new Set(['audio/aac', 'audio/aacp', 'audio/x-aac'])],
	['flac', new Set(['audio/flac', 'audio/x-flac'])],
	['wav', new Set(['audio/wav', 'audio/wave', 'audio/x-wav', 'audio/vnd.wave'])],
]);

/** The requested format of a body that OpenAI's API accepts unchanged; undefined for other bodies. */
export function passthroughFormat(raw: RawBody, voices: readonly string[] | undefined): AudioFormat | undefined {
	const body = knownMembers(raw, known);
	if (!body) return undefined;
	const { response_format: format, voice } = body;
	const name = typeof voice === 'object' ? members(voice).id : voice;
	if (typeof name !== 'string' || voices?.includes(name) === false) return undefined;
	return format as AudioFormat | undefined;
}
