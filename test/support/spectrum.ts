import type { Wav } from './wav.ts';

const size = 1_024;

/** Properties of a spectrogram. */
export interface Spectrum {
	/** The mean level of each of 32 bands of 125 Hz, up to 4 kHz, in dB relative to all energy. */
	readonly bands: readonly number[];
	/** The share of energy below 4 kHz. */
	readonly lowShare: number;
	/** The share of windows that are nearly silent. */
	readonly pauses: number;
}

/** Describes the spectrum of a recording. */
export function spectrumOf({ samples, sampleRate }: Wav): Spectrum {
	const bands = new Array<number>(32).fill(0);
	const energies: number[] = [];
	for (let at = 0; at + size <= samples.length; at += size) {
		const power = powerOf(samples.subarray(at, at + size));
		energies.push(sum(power));
		for (const [bin, value] of power.entries()) {
			const band = Math.floor((bin * sampleRate) / size / 125);
			if (band < bands.length) bands[band] = (bands[band] ?? 0) + value;
		}
	}
	const total = sum(energies);
	const loudest = Math.max(...energies);
	return {
		bands: bands.map((value) => 10 * Math.log10(value / total + 1e-9)),
		lowShare: sum(bands) / total,
		pauses: energies.filter((energy) => energy < loudest / 1_000).length / energies.length,
	};
}

/** The difference of two spectra: the mean difference of their bands in dB. */
export function spectralDistance(a: Spectrum, b: Spectrum): number {
	return sum(a.bands.map((value, band) => Math.abs(value - (b.bands[band] ?? 0)))) / a.bands.length;
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

/** The power in each bin of a Hann window. */
function powerOf(samples: Int16Array): Float64Array {
	const re = Float64Array.from(samples, (value, i) => value * Math.sin((Math.PI * i) / size) ** 2);
	const im = new Float64Array(size);
	transform(re, im);
	return re.subarray(0, size / 2).map((value, bin) => value ** 2 + (im[bin] ?? 0) ** 2);
}

/** An in-place radix-2 Fourier transform, decimated in frequency. The result is reordered at the end. */
function transform(re: Float64Array, im: Float64Array): void {
	for (let span = re.length / 2; span >= 1; span /= 2) {
		for (let k = 0; k < span; k++) {
			const [cos, sin] = [Math.cos((Math.PI * k) / span), -Math.sin((Math.PI * k) / span)];
			for (let i = k; i < re.length; i += 2 * span) {
				const [a, b] = [re[i] ?? 0, im[i] ?? 0];
				const [c, d] = [re[i + span] ?? 0, im[i + span] ?? 0];
				re[i] = a + c;
				im[i] = b + d;
				re[i + span] = (a - c) * cos - (b - d) * sin;
				im[i + span] = (a - c) * sin + (b - d) * cos;
			}
		}
	}
	for (let i = 1, j = 0; i < re.length; i++) {
		let bit = re.length >> 1;
		for (; j & bit; bit >>= 1) j ^= bit;
		j ^= bit;
		if (i < j) {
			[re[i], re[j]] = [re[j] ?? 0, re[i] ?? 0];
			[im[i], im[j]] = [im[j] ?? 0, im[i] ?? 0];
		}
	}
}

function sum(values: ArrayLike<number>): number {
	return Array.from(values).reduce((total, value) => total + value, 0);
}
