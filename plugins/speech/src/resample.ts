import type { PcmAudio } from './model.ts';
import { bytesPerSample, readSamples, stereoToMono, wholeFrames, writeSamples } from './pcm.ts';

/** Samples per second of `pcm` and `wav` responses, mono. */
export const wireSampleRate = 24_000;

/** Converts a model's PCM to s16le, mono, {@link wireSampleRate}. */
export function toWirePcm(audio: Pick<PcmAudio, 'body' | 'channels' | 'sampleRate'>): AsyncIterable<Uint8Array> {
	const mono = audio.channels === 2 ? stereoToMono(audio.body) : audio.body;
	return resample(mono, audio.sampleRate, wireSampleRate);
}

/**
 * Changes the sample rate of s16le mono by a windowed-sinc filter: n samples become exactly ceil(n * to / from).
 *
 * The output does not depend on how the input is split into chunks. Samples beyond both ends count as silence. Equal
 * rates pass through unchanged. Throws a RangeError when a rate is not a positive integer.
 */
export async function* resample(body: AsyncIterable<Uint8Array>, from: number, to: number): AsyncGenerator<Uint8Array> {
	for (const rate of [from, to]) {
		if (!Number.isInteger(rate) || rate <= 0) throw new RangeError(`${rate} is not a sample rate.`);
	}
	const samples = wholeFrames(body, bytesPerSample);
	if (from === to) {
		yield* samples;
		return;
	}
	const resampler = new Resampler(from, to);
	for await (const chunk of samples) {
		for (let start = 0; start < chunk.byteLength; start += blockBytes) {
			const output = resampler.push(readSamples(chunk.subarray(start, start + blockBytes)));
			if (output.length > 0) yield writeSamples(output);
		}
	}
	const output = resampler.end();
	if (output.length > 0) yield writeSamples(output);
}

/** Half a second at 16 kHz: about a millisecond per tick of the event loop. */
const blockBytes = 16_384;
const zeroCrossings = 16;
/** Share of the narrower band that passes; the filter's slope needs the rest. */
const passBand = 0.93;
/** Kaiser's beta for about 80 dB, below the noise of 16 bits in speech. */
const beta = 8;

/** A polyphase filter. Its state is the input that later outputs need. */
class Resampler {
	readonly #up: number;
	readonly #down: number;
	/** Cutoff relative to half the input rate. */
	readonly #cutoff: number;
	/** Input samples on each side of an output. */
	readonly #reach: number;
	readonly #phases: (Float64Array | undefined)[] = [];
	/** Input from sample number `#first` on. */
	#window: Float64Array;
	#first: number;
	#received = 0;
	#produced = 0;

	constructor(from: number, to: number) {
		const divisor = greatestCommonDivisor(from, to);
		this.#up = to / divisor;
		this.#down = from / divisor;
		this.#cutoff = Math.min(1, to / from) * passBand;
		this.#reach = Math.ceil(zeroCrossings * Math.max(1, from / to));
		this.#window = new Float64Array(this.#reach);
		this.#first = -this.#reach;
	}

	push(samples: Int16Array): Float64Array {
		this.#append(samples);
		this.#received += samples.length;
		const ready = Math.floor(((this.#received - this.#reach) * this.#up - 1) / this.#down) + 1;
		return this.#produce(ready);
	}

	end(): Float64Array {
		this.#append(new Int16Array(this.#reach + 1));
		return this.#produce(Math.ceil((this.#received * this.#up) / this.#down));
	}

	#append(samples: Int16Array): void {
		const needed = Math.floor((this.#produced * this.#down) / this.#up) - this.#reach;
		const kept = this.#window.subarray(Math.max(0, needed - this.#first));
		const window = new Float64Array(kept.length + samples.length);
		window.set(kept);
		window.set(samples, kept.length);
		this.#first += this.#window.length - kept.length;
		this.#window = window;
	}

	/** Computes the outputs up to number `until`. Output k is at input time k * down / up. */
	#produce(until: number): Float64Array {
		const output = new Float64Array(Math.max(0, until - this.#produced));
		const window = this.#window;
		for (let index = 0; index < output.length; index++) {
			const time = (this.#produced + index) * this.#down;
			const phase = time % this.#up;
			const taps = this.#phases[phase] ?? this.#makePhase(phase);
			const start = (time - phase) / this.#up - this.#reach + 1 - this.#first;
			let sum = 0;
			for (let tap = 0; tap < taps.length; tap++) {
				sum += (window[start + tap] as number) * (taps[tap] as number);
			}
			output[index] = sum;
		}
		this.#produced += output.length;
		return output;
	}

	/**
	 * The filter for outputs `phase / up` after an input sample. Computed on first use: unusual rates have many phases.
	 */
	#makePhase(phase: number): Float64Array {
		const taps = new Float64Array(2 * this.#reach);
		let total = 0;
		for (let tap = 0; tap < taps.length; tap++) {
			const distance = tap - this.#reach + 1 - phase / this.#up;
			const value = sinc(distance * this.#cutoff) * kaiser(distance / this.#reach);
			taps[tap] = value;
			total += value;
		}
		// Normalised, so that every phase passes constant signals exactly. Otherwise the phases would be audible as a tone.
		const filter = taps.map((tap) => tap / total);
		this.#phases[phase] = filter;
		return filter;
	}
}

function greatestCommonDivisor(a: number, b: number): number {
	return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function sinc(x: number): number {
	return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** Kaiser window over -1 to 1. */
function kaiser(x: number): number {
	return Math.abs(x) >= 1 ? 0 : bessel(beta * Math.sqrt(1 - x * x)) / bessel(beta);
}

/** Modified Bessel function of the first kind, order 0, by its power series. */
function bessel(x: number): number {
	let term = 1;
	let sum = 1;
	for (let index = 1; term > sum * 1e-12; index++) {
		term *= (x / (2 * index)) ** 2;
		sum += term;
	}
	return sum;
}
