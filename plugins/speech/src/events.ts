import type { ServerEvent } from '@plinth/core';

/**
 * Token counts of the last event. Both are estimates: 4 characters of text per token, 20 tokens per second of audio.
 */
export interface SpeechUsage {
	readonly input_tokens: number;
	readonly output_tokens: number;
	readonly total_tokens: number;
}

/** A multiple of 3, so that the base64 of the pieces can be joined before decoding. */
const pieceBytes = 49_152;

/** Speech as server-sent events: base64 pieces as they are generated, then one event with the usage. */
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

/** Estimates the usage of one request. `seconds` is 0 when the model encoded the audio. */
export function estimateUsage(input: string, seconds: number): SpeechUsage {
	const inputTokens = Math.max(1, Math.ceil([...input].length / 4));
	const outputTokens = Math.ceil(seconds * 20);
	return {
		input_tokens: inputTokens,
		output_tokens: outputTokens,
		total_tokens: inputTokens + outputTokens,
	};
}
