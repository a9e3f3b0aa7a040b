/**
 * Median pitch in Hz of s16le speech by autocorrelation over 40 ms frames. For each voiced frame it takes the shortest
 * period that is nearly as similar as the best one.
 */
export function medianPitch(pcm: Uint8Array, sampleRate: number): number {
	const samples = new Int16Array(pcm.slice().buffer);
	const frame = Math.round(sampleRate * 0.04);
	const pitches: number[] = [];
	for (let start = 0; start + 2 * frame < samples.length; start += frame) {
		const pitch = framePitch(samples.subarray(start, start + 2 * frame), frame, sampleRate);
		if (pitch) pitches.push(pitch);
	}
	return pitches.sort((a, b) => a - b)[pitches.length >> 1] ?? 0;
}

function framePitch(samples: Int16Array, frame: number, sampleRate: number): number | undefined {
	const shortest = Math.floor(sampleRate / 400);
	const longest = Math.min(frame, Math.floor(sampleRate / 50));
	const energy = product(samples, 0, 0, frame);
	if (energy / frame < 300 ** 2) return undefined;
	const similar: number[] = [];
	for (let lag = shortest; lag <= longest; lag++) {
		const norm = Math.sqrt(energy * product(samples, lag, lag, frame)) + 1;
		similar[lag] = product(samples, 0, lag, frame) / norm;
	}
	const best = Math.max(...similar.slice(shortest));
	if (best < 0.75) return undefined;
	const isPeak = (value: number, lag: number) =>
		value > 0.9 * best && value >= (similar[lag - 1] ?? 1) && value >= (similar[lag + 1] ?? 1);
	const lag = similar.findIndex(isPeak);
	return lag > 0 ? sampleRate / lag : undefined;
}

function product(samples: Int16Array, one: number, other: number, length: number): number {
	let sum = 0;
	for (let index = 0; index < length; index++) {
		sum += (samples[one + index] ?? 0) * (samples[other + index] ?? 0);
	}
	return sum;
}
