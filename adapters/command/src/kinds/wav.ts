/** Sample rate and number of channels. */
export interface PcmFormat {
	readonly sampleRate: number;
	readonly channels: 1 | 2;
}

/** The format and position of the samples in a WAV file. */
interface WavHeader extends PcmFormat {
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
	let format: PcmFormat | undefined;
	for (let offset = 12; offset + 8 <= bytes.byteLength; ) {
		const id = bytes.toString('latin1', offset, offset + 4);
		const size = bytes.readUInt32LE(offset + 4);
		const dataOffset = offset + 8;
		const length = size === 0 || size >= unknownLength ? Number.POSITIVE_INFINITY : size;
		if (id === 'data') return format && { ...format, dataOffset, length };
		if (id === 'fmt ' && dataOffset + 16 <= bytes.byteLength) format = formatOf(bytes.subarray(dataOffset));
		// Chunks start at even offsets.
		offset = dataOffset + size + (size % 2);
	}
	return undefined;
}

function formatOf(chunk: Buffer): PcmFormat | undefined {
	const [kind, channels] = [chunk.readUInt16LE(0), chunk.readUInt16LE(2)];
	const [sampleRate, bits] = [chunk.readUInt32LE(4), chunk.readUInt16LE(14)];
	const is16BitPcm = (kind === pcm || kind === extensible) && bits === 16 && sampleRate > 0;
	return is16BitPcm && (channels === 1 || channels === 2) ? { sampleRate, channels } : undefined;
}
