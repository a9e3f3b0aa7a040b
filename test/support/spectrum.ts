import type { Wav } from './wav.ts';

const size = 1_024;

/** What a spectrogram shows at a glance. */
export interface Spectrum {
	/** The share of each of 16 equal bands in all energy; together 1. */
	readonly bands: readonly number[];
	/** The share of energy below 4 kHz. */
	readonly lowShare: number;
	/** The share of windows that are nearly silent. */
	readonly pauses: number;
}

/** Describes the spectrum of a recording. */
export function spectrumOf({ samples, sampleRate }: Wav): Spectrum {
	const bands = new Array<number>(16).fill(0);
	const energies: number[] = [];
	let low = 0;
	for (let at = 0; at + size <= samples.length; at += size) {
		const power = powerOf(samples.subarray(at, at + size));
		energies.push(sum(power));
		for (const [bin, value] of power.entries()) {
			const band = Math.min(15, Math.floor((bin * 16) / power.length));
			bands[band] = (bands[band] ?? 0) + value;
			if ((bin * sampleRate) / size < 4_000) low += value;
		}
	}
	const total = sum(bands);
	const loudest = Math.max(...energies);
	return {
		bands: bands.map((value) => value / total),
		lowShare: low / total,
		pauses: energies.filter((energy) => energy < loudest / 1_000).length / energies.length,
	};
}

/** The median pitch of the voiced parts in Hz, by autocorrelation between 60 and 400 Hz. */
export function pitchOf({ samples, sampleRate }: Wav): number {
	const [shortest, longest] = [Math.floor(sampleRate / 400), Math.floor(sampleRate / 60)];
	const pitches: number[] = [];
	for (let at = 0; at + 3 * longest <= samples.length; at += 2 * longest) {
		const window = samples.subarray(at, at + 3 * longest);
		const whole = correlate(window, 0, longest);
		if (whole < 2 * longest * 300 ** 2) continue;
		let best = { lag: 0, value: 0 };
		for (let lag = shortest; lag <= longest; lag++) {
			const value = correlate(window, lag, longest) / whole;
			if (value > best.value) best = { lag, value };
		}
		if (best.value > 0.5) pitches.push(sampleRate / best.lag);
	}
	return pitches.sort((a, b) => a - b)[pitches.length >> 1] ?? 0;
}

function correlate(window: Int16Array, lag: number, longest: number): number {
	let value = 0;
	for (let i = 0; i < 2 * longest; i++) value += (window[i] ?? 0) * (window[i + lag] ?? 0);
	return value;
}

/** The power in each bin of a Hann window, by a radix-2 Fourier transform. */
function powerOf(samples: Int16Array): number[] {
	const re = Array.from(samples, (value, i) => value * Math.sin((Math.PI * i) / size) ** 2);
	const im = new Array<number>(size).fill(0);
	transform(re, im);
	return re.slice(0, size / 2).map((value, bin) => value ** 2 + (im[bin] ?? 0) ** 2);
}

function transform(re: number[], im: number[]): void {
	const n = re.length;
	if (n === 1) return;
	const half = (list: number[], odd: number) => list.filter((_, i) => i % 2 === odd);
	const [evenRe, evenIm, oddRe, oddIm] = [half(re, 0), half(im, 0), half(re, 1), half(im, 1)];
	transform(evenRe, evenIm);
	transform(oddRe, oddIm);
	for (let k = 0; k < n / 2; k++) {
		const [cos, sin] = [Math.cos((2 * Math.PI * k) / n), -Math.sin((2 * Math.PI * k) / n)];
		const [a, b] = [oddRe[k] ?? 0, oddIm[k] ?? 0];
		const [x, y] = [cos * a - sin * b, cos * b + sin * a];
		const [u, v] = [evenRe[k] ?? 0, evenIm[k] ?? 0];
		[re[k], im[k], re[k + n / 2], im[k + n / 2]] = [u + x, v + y, u - x, v - y];
	}
}

function sum(values: readonly number[]): number {
	return values.reduce((total, value) => total + value, 0);
}
