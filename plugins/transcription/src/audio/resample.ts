import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DecodedAudio } from '../model.ts';

/** Zero crossings of the filter on each side of an output sample. */
const crossings = 16;
/** Entries of the filter's table between two zero crossings. */
const resolution = 1_024;
/** The share of the narrower band that passes. */
const passBand = 0.92;
/** Samples processed per turn of the event loop. */
const blockLength = 8_192;

/**
 * Changes the rate of samples by band-limited interpolation (J. O. Smith, "Digital Audio Resampling"): n samples become
 * ceil(n * to / from). The result does not depend on the chunks of the input. Samples beyond both ends are silence.
 */
export async function* resampled({ sampleRate, samples }: DecodedAudio, to: number): AsyncGenerator<Float32Array> {
	if (sampleRate === to) return yield* samples;
	const step = sampleRate / to;
	const cutoff = Math.min(1, 1 / step) * passBand;
	const reach = Math.ceil(crossings / cutoff);
	let window = new Float32Array(reach);
	let first = -reach;
	let produced = 0;
	let received = 0;
	const push = (block: Float32Array, until: number): Float32Array => {
		const unused = Math.max(0, Math.floor(produced * step) - reach - first);
		window = joined(window.subarray(unused), block);
		first += unused;
		const output = new Float32Array(Math.max(0, until - produced));
		for (let index = 0; index < output.length; index++) {
			output[index] = valueAt(window, (produced + index) * step - first, cutoff, reach);
		}
		produced += output.length;
		return output;
	};
	for await (const chunk of samples) {
		for (let at = 0; at < chunk.length; at += blockLength) {
			const block = chunk.subarray(at, at + blockLength);
			received += block.length;
			const output = push(block, Math.floor((received - reach - 1) / step) + 1);
			if (output.length > 0) yield output;
			await yieldToEventLoop();
		}
	}
	const rest = push(new Float32Array(reach + 1), Math.ceil((received * to) / sampleRate));
	if (rest.length > 0) yield rest;
}

function joined(head: Float32Array, tail: Float32Array): Float32Array<ArrayBuffer> {
	const all = new Float32Array(head.length + tail.length);
	all.set(head);
	all.set(tail, head.length);
	return all;
}

/** The value at a time between samples, computed from `reach` samples on each side. */
function valueAt(samples: Float32Array, time: number, cutoff: number, reach: number): number {
	const nearest = Math.floor(time);
	const scale = cutoff * resolution;
	let sum = 0;
	let tablePosition = (time - nearest + reach - 1) * scale;
	for (let at = nearest - reach + 1; at <= nearest + reach; at++) {
		sum += (samples[at] as number) * (filter[(Math.abs(tablePosition) + 0.5) | 0] as number);
		tablePosition -= scale;
	}
	return sum * cutoff;
}

/** One side of a sinc with a Blackman window, whose side lobes are 58 dB down. */
const filter = Float32Array.from({ length: (crossings + 1) * resolution }, (_, index) => {
	const x = index / resolution;
	if (x > crossings) return 0;
	const angle = (Math.PI * x) / crossings;
	const window = 0.42 + 0.5 * Math.cos(angle) + 0.08 * Math.cos(2 * angle);
	return (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)) * window;
});
