import type { ServerEvent } from '@plinth/core';

/** Token counts of the last event. Both are estimates: text by 4 characters a token, audio by 20 tokens a second. */
export interface SpeechUsage {
	readonly input_tokens: number;
	readonly output_tokens: number;
	readonly total_tokens: number;
}

/** A multiple of 3, so that the base64 of the pieces may also be joined before decoding. */
const pieceBytes = 49_152;

/** Speech as server-sent events: base64 pieces as the bytes are made, then one event with the usage. */
export async function* speechEvents(
	audio: AsyncIterable<Uint8Array>,
	usage: () => SpeechUsage,
	warnings: readonly string[] = [],
): AsyncGenerator<ServerEvent> {
	for await (const chunk of audio) {
		for (let start = 0; start < chunk.byteLength; start += pieceBytes) {
			const piece = Buffer.from(chunk.subarray(start, start + pieceBytes));
			yield { data: { type: 'speech.audio.delta', audio: piece.toString('base64') } };
		}
	}
	const extra = warnings.length > 0 ? { warnings } : {};
	yield { data: { type: 'speech.audio.done', usage: usage(), ...extra } };
}

/** Estimates the usage of one request. `seconds` is 0 when the model encoded the audio itself and the length is not known. */
export function estimateUsage(input: string, seconds: number): SpeechUsage {
	const inputTokens = Math.max(1, Math.ceil([...input].length / 4));
	const outputTokens = Math.ceil(seconds * 20);
	return {
		input_tokens: inputTokens,
		output_tokens: outputTokens,
		total_tokens: inputTokens + outputTokens,
	};
}
