import { abandon, orAbort } from '@plinth/core';
import { recognizerRate } from './engine/tasks.ts';

/** A section of audio that a recognizer processes in one call. Times are seconds from the start of the audio. */
export interface Window {
	readonly start: number;
	readonly end: number;
	readonly samples: Float32Array<ArrayBuffer>;
}

/** Whisper accepts 30 s, of which sherpa-onnx reserves half a second. */
const maxSamples = 28 * recognizerRate;
/** The end of a full window, in which to search for the cut, and the length of the quiet section around the cut. */
const searchSamples = 10 * recognizerRate;
const quietSamples = 0.1 * recognizerRate;

/** Cuts audio at the quietest moment of each full window. Buffers one window. Throws the signal's reason. */
export async function* toWindows(audio: AsyncIterable<Float32Array>, signal: AbortSignal): AsyncGenerator<Window> {
	const chunks = audio[Symbol.asyncIterator]();
	const buffer = new Float32Array(maxSamples);
	let filled = 0;
	let at = 0;
	const cut = (length: number): Window => {
		const samples = buffer.slice(0, length);
		buffer.copyWithin(0, length);
		filled -= length;
		at += length;
		return { start: (at - length) / recognizerRate, end: at / recognizerRate, samples };
	};
	try {
		for (;;) {
			const step = await orAbort(signal, chunks.next());
			if (step.done) break;
			for (let rest = step.value; rest.length > 0; ) {
				const part = rest.subarray(0, maxSamples - filled);
				buffer.set(part, filled);
				filled += part.length;
				rest = rest.subarray(part.length);
				if (filled === maxSamples) yield cut(quietest(buffer));
			}
		}
	} finally {
		abandon(chunks);
	}
	if (filled > 0) yield cut(filled);
}

/** The middle of the quietest section at the end of a full window; of equally quiet ones, the last. */
function quietest(samples: Float32Array): number {
	let best = maxSamples;
	let least = Number.POSITIVE_INFINITY;
	for (let start = maxSamples - searchSamples; start < maxSamples; start += quietSamples) {
		const energy = samples.subarray(start, start + quietSamples).reduce((sum, sample) => sum + sample * sample, 0);
		if (energy <= least) [least, best] = [energy, start + quietSamples / 2];
	}
	return best;
}
