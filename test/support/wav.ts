/** The header of a WAV file and its actual samples. */
export interface Wav {
	readonly sampleRate: number;
	readonly channels: number;
	readonly bitsPerSample: number;
	/** The length of the `RIFF` chunk according to its header. */
	readonly riffBytes: number;
	/** The length of the samples according to their header. */
	readonly dataBytes: number;
	/** All signed 16-bit samples in the file. */
	readonly samples: Int16Array;
	/** Seconds, according to the header. */
	readonly seconds: number;
}

/** Reads a 16-bit PCM WAV file. Throws for anything else. */
export function readWav(bytes: Uint8Array): Wav {
	const file = Buffer.from(bytes);
	const text = (at: number) => file.toString('latin1', at, at + 4);
	if (text(0) !== 'RIFF' || text(8) !== 'WAVE') throw new Error('The file is not a WAV file.');
	const [format, data] = [findChunk(file, 'fmt '), findChunk(file, 'data')];
	if (file.readUInt16LE(format) !== 1) throw new Error('The samples are not PCM.');
	const channels = file.readUInt16LE(format + 2);
	const sampleRate = file.readUInt32LE(format + 4);
	const dataBytes = file.readUInt32LE(data - 4);
	return {
		channels,
		sampleRate,
		bitsPerSample: file.readUInt16LE(format + 14),
		riffBytes: file.readUInt32LE(4),
		dataBytes,
		samples: readSamples(file.subarray(data)),
		seconds: dataBytes / (2 * channels * sampleRate),
	};
}

/** Reads headerless signed 16-bit little-endian samples. */
export function readSamples(bytes: Uint8Array): Int16Array {
	const view = Buffer.from(bytes);
	return Int16Array.from({ length: view.length >> 1 }, (_, index) => view.readInt16LE(index * 2));
}

/** The loudness of samples: 0 is silence, 1 a full-scale square wave. */
export function loudness(samples: Int16Array): number {
	const sum = samples.reduce((total, sample) => total + sample * sample, 0);
	return Math.sqrt(sum / Math.max(1, samples.length)) / 32_768;
}

function findChunk(file: Buffer, name: string): number {
	for (let at = 12; at + 8 <= file.length; at += 8 + file.readUInt32LE(at + 4)) {
		if (file.toString('latin1', at, at + 4) === name) return at + 8;
	}
	throw new Error(`The WAV file has no "${name}" chunk.`);
}
