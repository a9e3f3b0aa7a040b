import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The contents of a WAV header. */
export interface WavInfo {
	readonly sampleRate: number;
	readonly channels: number;
	/** Where the samples begin, in bytes. */
	readonly start: number;
	/** Samples of each channel. */
	readonly frames: number;
	readonly frameBytes: number;
	/** Reads the sample at a byte, as -1 to 1. Undefined for compressed samples. */
	readonly read: ReadSample | undefined;
}

type ReadSample = (view: DataView, at: number) => number;

/** Maximum chunks that are searched for the samples. Some recorders write metadata chunks before them. */
const maxChunks = 64;

/** By format code (1: PCM, 3: floats) and bits (Microsoft's "Multiple Channel Audio Data and WAVE Files"). */
const readers: Readonly<Record<string, ReadSample>> = {
	'1/8': (view, at) => view.getUint8(at) / 0x80 - 1,
	'1/16': (view, at) => view.getInt16(at, true) / 0x8000,
	'1/24': (view, at) => (view.getUint8(at) + view.getInt16(at + 1, true) * 0x100) / 0x80_0000,
	'1/32': (view, at) => view.getInt32(at, true) / 0x8000_0000,
	'3/32': (view, at) => view.getFloat32(at, true),
	'3/64': (view, at) => view.getFloat64(at, true),
};

/**
 * Reads the header of a WAV file. A length beyond the end of the file means the rest of the file: recorders that
 * stream do not know the length. Undefined when the file is damaged or has no samples.
 */
export async function readWavInfo(path: string): Promise<WavInfo | undefined> {
	const file = await open(path);
	try {
		const { size } = await file.stat();
		let format: DataView | undefined;
		for (let at = 12, chunks = 0; at + 8 <= size && chunks < maxChunks; chunks++) {
			const head = await readView(file, at, 8);
			const name = head.getUint32(0);
			const length = head.getUint32(4, true);
			if (name === 0x666d7420 && length >= 16) format = await readView(file, at + 8, Math.min(length, 40));
			if (name === 0x64617461) return format && infoOf(format, at + 8, Math.min(length, size - at - 8));
			at += 8 + length + (length % 2);
		}
		return undefined;
	} finally {
		await file.close();
	}
}

async function readView(file: FileHandle, at: number, length: number): Promise<DataView> {
	const bytes = new Uint8Array(length);
	await file.read(bytes, 0, length, at);
	return new DataView(bytes.buffer);
}

function infoOf(format: DataView, start: number, bytes: number): WavInfo | undefined {
	const channels = format.getUint16(2, true);
	const sampleRate = format.getUint32(4, true);
	const bits = format.getUint16(14, true);
	const isExtensible = format.getUint16(0, true) === 0xfffe && format.byteLength >= 26;
	const read = readers[`${format.getUint16(isExtensible ? 24 : 0, true)}/${bits}`];
	// For compressed samples, the header has the size of a block.
	const frameBytes = Math.max(1, read ? (channels * bits) / 8 : format.getUint16(12, true));
	const frames = Math.floor(bytes / frameBytes);
	const isPlausible = channels >= 1 && channels <= 8 && isPlausibleRate(sampleRate);
	return isPlausible && frames > 0 ? { sampleRate, channels, start, frames, frameBytes, read } : undefined;
}

/** Whether audio may have this many samples per second. Conversion from other rates takes too much memory. */
export function isPlausibleRate(sampleRate: number): boolean {
	return sampleRate >= 1_000 && sampleRate <= 768_000;
}

/** The samples of a WAV file, channels averaged. */
export async function* wavSamples(path: string, info: WavInfo, read: ReadSample): AsyncGenerator<Float32Array> {
	const { start, frames, frameBytes, channels } = info;
	const sampleBytes = frameBytes / channels;
	const chunks: AsyncIterable<Buffer> = createReadStream(path, { start, end: start + frames * frameBytes - 1 });
	let rest = Buffer.alloc(0);
	for await (const chunk of chunks) {
		const bytes = Buffer.concat([rest, chunk]);
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		const mono = new Float32Array(Math.floor(bytes.byteLength / frameBytes));
		for (let frame = 0; frame < mono.length; frame++) {
			let sum = 0;
			for (let channel = 0; channel < channels; channel++) {
				sum += read(view, frame * frameBytes + channel * sampleBytes);
			}
			// Floats may be out of range, or NaN.
			mono[frame] = Math.max(-1, Math.min(1, sum / channels || 0));
		}
		rest = bytes.subarray(mono.length * frameBytes);
		if (mono.length > 0) yield mono;
	}
}
