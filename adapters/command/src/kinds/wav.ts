import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { AudioFile } from '@plinth/plugin-transcription/model';
import type { RunFolder } from '../run/folder.ts';

/** Sample rate and number of channels. */
export interface PcmFormat {
	readonly sampleRate: number;
	readonly channels: 1 | 2;
}

/** The format and position of the samples in a WAV file. */
interface WavHeader extends PcmFormat {
	/** Offset of the samples, in bytes. */
	readonly dataOffset: number;
	/** Length of the samples in bytes; infinite when the file does not state it. */
	readonly length: number;
}

/** PCM, and the extensible format, which contains PCM. */
const kinds: readonly number[] = [1, 0xfffe];
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
	const is16BitPcm = kinds.includes(kind) && bits === 16 && sampleRate > 0;
	return is16BitPcm && (channels === 1 || channels === 2) ? { sampleRate, channels } : undefined;
}

/** Writes samples of one channel, -1 to 1, to a WAV file with 16 bits in the folder of a run. */
export async function writeWav(folder: RunFolder, name: string, audio: AudioFile, sampleRate: number): Promise<void> {
	const head = Buffer.from('RIFF....WAVEfmt \x10\0\0\0\x01\0\x01\0rateratf\x02\0\x10\0data....', 'latin1');
	let dataBytes = 0;
	async function* content() {
		yield head;
		for await (const chunk of audio.samples(sampleRate)) {
			const bytes = Buffer.alloc(chunk.length * 2);
			for (const [index, value] of chunk.entries()) bytes.writeInt16LE(Math.round(value * 0x7fff), index * 2);
			dataBytes += bytes.byteLength;
			yield bytes;
		}
	}
	await folder.write(name, content());
	const fields = { 4: 36 + dataBytes, 24: sampleRate, 28: sampleRate * 2, 40: dataBytes };
	for (const [at, value] of Object.entries(fields)) head.writeUInt32LE(value, Number(at));
	// The length is known only now.
	const file = await open(join(folder.path, name), 'r+');
	await file.write(head, 0, head.byteLength, 0).finally(() => file.close());
}
