import { mediaTypeOf } from '@plinth/core';
import type { EncodedAudio, PcmAudio } from '@plinth/plugin-speech/model';
import { readWavHeader } from './wav.ts';

/** Sample rate and number of channels. */
export interface PcmFormat {
	readonly sampleRate: number;
	readonly channels: 1 | 2;
}

/** Bytes read to detect the format: a fraction of a second of speech. */
const headBytes = 4_096;

const encodedFormats: Readonly<Record<string, EncodedAudio['format']>> = {
	'audio/mpeg': 'mp3',
	'audio/ogg; codecs=opus': 'opus',
	'audio/aac': 'aac',
	'audio/flac': 'flac',
};

/**
 * Detects the format of a program's audio: raw samples when `pcm` is set, otherwise by the first bytes. The
 * samples of a WAV file are extracted, so that they can be converted to any format. Throws the error of
 * `fault` for anything else.
 */
export async function readSound(
	body: AsyncGenerator<Buffer>,
	pcm: PcmFormat | undefined,
	fault: (action: string) => Error,
): Promise<PcmAudio | EncodedAudio> {
	const { head, rest } = await readHead(body);
	if (head.byteLength === 0) throw fault('ended without a result');
	if (pcm) return samples(pcm, rest, Number.POSITIVE_INFINITY);
	const mediaType = await mediaTypeOf(head);
	const format = encodedFormats[mediaType];
	if (format) return { mediaType: mediaType.split(';')[0] ?? mediaType, format, body: rest };
	if (mediaType !== 'audio/wav') throw fault('made a file that is not audio');
	const header = readWavHeader(head);
	if (!header) throw fault('made a WAV file without 16-bit PCM of one or two channels');
	return samples(header, skipBytes(rest, header.dataOffset), header.length);
}

async function readHead(body: AsyncGenerator<Buffer>) {
	const chunks: Buffer[] = [];
	let length = 0;
	while (length < headBytes) {
		const { value, done } = await body.next();
		if (done) break;
		chunks.push(value);
		length += value.byteLength;
	}
	const head = Buffer.concat(chunks);
	async function* rest(): AsyncGenerator<Buffer> {
		try {
			yield head;
			yield* body;
		} finally {
			await body.return(undefined);
		}
	}
	return { head, rest: rest() };
}

function samples({ sampleRate, channels }: PcmFormat, body: AsyncIterable<Buffer>, length: number): PcmAudio {
	return { sampleRate, channels, mediaType: 'audio/pcm', body: frames(body, channels * 2, length) };
}

async function* skipBytes(body: AsyncIterable<Buffer>, start: number): AsyncGenerator<Buffer> {
	let skipped = 0;
	for await (const chunk of body) {
		const skip = Math.min(start - skipped, chunk.byteLength);
		skipped += skip;
		yield chunk.subarray(skip);
	}
}

/** Complete frames, at most `length` bytes. The rest is read and dropped, so that the program can end. */
async function* frames(body: AsyncIterable<Buffer>, frameBytes: number, length: number): AsyncGenerator<Buffer> {
	let remaining = Math.floor(length / frameBytes) * frameBytes;
	let rest: Buffer = empty;
	for await (const chunk of body) {
		const bytes = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
		const whole = Math.min(bytes.byteLength - (bytes.byteLength % frameBytes), remaining);
		remaining -= whole;
		rest = remaining > 0 ? bytes.subarray(whole) : empty;
		if (whole > 0) yield bytes.subarray(0, whole);
	}
}

const empty = Buffer.alloc(0);
