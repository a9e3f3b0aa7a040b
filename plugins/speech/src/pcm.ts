/** Bytes of one signed 16-bit sample. */
export const bytesPerSample = 2;

/** Reads s16le bytes into samples on any machine. An incomplete last sample is ignored. */
export function readSamples(bytes: Uint8Array): Int16Array {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const samples = new Int16Array(Math.floor(bytes.byteLength / bytesPerSample));
	for (let index = 0; index < samples.length; index++) {
		samples[index] = view.getInt16(index * bytesPerSample, true);
	}
	return samples;
}

/** Writes samples as s16le bytes, rounded and clamped to 16 bits. */
export function writeSamples(samples: ArrayLike<number>): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(samples.length * bytesPerSample);
	const view = new DataView(bytes.buffer);
	for (let index = 0; index < samples.length; index++) {
		const value = Math.round(samples[index] ?? 0);
		view.setInt16(index * bytesPerSample, Math.max(-32_768, Math.min(32_767, value)), true);
	}
	return bytes;
}

/**
 * Regroups chunks into whole frames of `frameBytes` bytes, delaying at most one incomplete frame. Drops
 * empty chunks and an incomplete last frame.
 */
export async function* wholeFrames(body: AsyncIterable<Uint8Array>, frameBytes: number): AsyncGenerator<Uint8Array> {
	let rest: Uint8Array = new Uint8Array(0);
	for await (const chunk of body) {
		const bytes = rest.byteLength === 0 ? chunk : joined(rest, chunk);
		const whole = bytes.byteLength - (bytes.byteLength % frameBytes);
		// A copy: the producer may reuse its buffer after the next call.
		rest = bytes.slice(whole);
		if (whole > 0) yield bytes.subarray(0, whole);
	}
}

/** Mixes s16le stereo to mono: each sample is the mean of left and right. Chunks may be cut anywhere. */
export async function* stereoToMono(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	for await (const chunk of wholeFrames(body, 2 * bytesPerSample)) {
		const both = readSamples(chunk);
		const mono = new Float64Array(both.length / 2);
		for (let index = 0; index < mono.length; index++) {
			mono[index] = ((both[index * 2] ?? 0) + (both[index * 2 + 1] ?? 0)) / 2;
		}
		yield writeSamples(mono);
	}
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(head.byteLength + tail.byteLength);
	bytes.set(head);
	bytes.set(tail, head.byteLength);
	return bytes;
}
