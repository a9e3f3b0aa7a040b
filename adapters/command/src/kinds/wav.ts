/** The format and position of the samples in a WAV file. */
export interface WavHeader {
	readonly sampleRate: number;
	readonly channels: 1 | 2;
	/** Offset of the samples, in bytes. */
	readonly dataOffset: number;
	/** Length of the samples in bytes; infinite when the program did not know it. */
	readonly length: number;
}

const pcm = 1;
const extensible = 0xfffe;
/** Programs that write to a pipe set the length to 0 or to a value near the maximum. */
const unknownLength = 0x7fff_0000;

/**
 * Parses the header of a WAV file with 16-bit PCM of one or two channels; undefined for any other file, and
 * when the samples start after `bytes`.
 */
export function readWavHeader(bytes: Buffer): WavHeader | undefined {
	let format: Pick<WavHeader, 'sampleRate' | 'channels'> | undefined;
	for (let offset = 12; offset + 8 <= bytes.byteLength; ) {
		const id = bytes.toString('latin1', offset, offset + 4);
		const length = bytes.readUInt32LE(offset + 4);
		const start = offset + 8;
		if (id === 'data') return format && { ...format, dataOffset: start, length: dataLength(length) };
		if (id === 'fmt ' && start + 16 <= bytes.byteLength) format = formatOf(bytes.subarray(start));
		// Chunks start at even offsets.
		offset = start + length + (length % 2);
	}
	return undefined;
}

function formatOf(chunk: Buffer): Pick<WavHeader, 'sampleRate' | 'channels'> | undefined {
	const [kind, channels] = [chunk.readUInt16LE(0), chunk.readUInt16LE(2)];
	const [sampleRate, bits] = [chunk.readUInt32LE(4), chunk.readUInt16LE(14)];
	const is16BitPcm = (kind === pcm || kind === extensible) && bits === 16 && sampleRate > 0;
	return is16BitPcm && (channels === 1 || channels === 2) ? { sampleRate, channels } : undefined;
}

function dataLength(length: number): number {
	return length === 0 || length >= unknownLength ? Number.POSITIVE_INFINITY : length;
}
