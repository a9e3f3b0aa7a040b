import type { ByteReader } from './byte-reader.ts';

/** The header of a WAV stream, up to its samples. */
export interface WavHead {
	/** The bytes of the header, unknown chunks included. */
	readonly bytes: Buffer;
	readonly sampleRate: number;
	readonly channels: number;
	/** Whether the samples are uncompressed, of 16 bits, in one channel or two, at a plausible rate. */
	readonly isPlain: boolean;
	/** Bytes of samples; undefined when the header does not state them. */
	readonly dataBytes: number | undefined;
}

/** Maximum bytes of a header. */
const maxHeaderBytes = 65_536;
/** Minimum plausible samples per second. */
const minSampleRate = 4_000;
const pcm = 1;
const extensible = 0xfffe;

/** Reads a header (RIFF, WAVE, chunks up to `data`) without the samples; undefined for a damaged header. */
export async function readWavHead(reader: ByteReader): Promise<WavHead | undefined> {
	const parts = [await reader.read(12)];
	let format: Buffer | undefined;
	for (let length = 12; length < maxHeaderBytes; ) {
		const head = await reader.read(8);
		if (head.length < 8) return undefined;
		parts.push(head);
		const [name, size] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)];
		if (name === 'data') return format && headOf(Buffer.concat(parts), format, size);
		if (size > maxHeaderBytes) return undefined;
		// Chunks have even lengths.
		const body = await reader.read(size + (size % 2));
		parts.push(body);
		length += 8 + body.length;
		if (name === 'fmt ' && body.length >= 16) format = body;
	}
	return undefined;
}

function headOf(bytes: Buffer, format: Buffer, size: number): WavHead {
	const tag = format.readUInt16LE(0);
	const code = tag === extensible && format.length >= 26 ? format.readUInt16LE(24) : tag;
	const channels = format.readUInt16LE(2);
	const sampleRate = format.readUInt32LE(4);
	const isPlain =
		code === pcm && format.readUInt16LE(14) === 16 && (channels === 1 || channels === 2) && sampleRate >= minSampleRate;
	// A streaming writer states the length 0, or the largest number.
	const isKnown = size > 0 && size < 0x7fff_0000;
	return { bytes, sampleRate, channels, isPlain, dataBytes: isKnown ? size : undefined };
}
