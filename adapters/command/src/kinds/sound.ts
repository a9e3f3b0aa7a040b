import { mediaTypeOf } from '@plinth/core';
import type { EncodedAudio, PcmAudio } from '@plinth/plugin-speech/model';
import { type PcmFormat, readWavHeader } from './wav.ts';

type Bytes = AsyncIterableIterator<Buffer> | IterableIterator<Buffer>;

/** Bytes read to detect the format: a fraction of a second of speech. */
const headBytes = 4_096;

const encodedFormats: Readonly<Record<string, EncodedAudio['format']>> = {
	'audio/mpeg': 'mp3',
	'audio/ogg; codecs=opus': 'opus',
	'audio/aac': 'aac',
	'audio/flac': 'flac',
};

/**
 * Detects the format of a program's audio: raw samples when `pcm` is set, otherwise by the first bytes. The samples of
 * a WAV file are extracted, so that they can be converted to any format. Throws the error of `fault` for anything else.
 */
export async function readSound(body: Bytes, pcm: PcmFormat | undefined, fault: (action: string) => Error) {
	let head: Buffer = Buffer.alloc(0);
	while (head.byteLength < headBytes) {
		const { value, done } = await body.next();
		if (done) break;
		head = Buffer.concat([head, value]);
	}
	if (pcm) return samples(pcm, joined(head, body), Number.POSITIVE_INFINITY);
	const mediaType = await mediaTypeOf(head);
	const format = encodedFormats[mediaType];
	if (format) return { mediaType: mediaType.split(';')[0] ?? mediaType, format, body: joined(head, body) };
	if (mediaType !== 'audio/wav') throw fault('made a file that is not audio');
	const header = readWavHeader(head);
	if (!header) throw fault('made a WAV file without 16-bit PCM of one or two channels');
	return samples(header, joined(head.subarray(header.dataOffset), body), header.length);
}

async function* joined(head: Buffer, body: Bytes): AsyncGenerator<Buffer> {
	try {
		yield head;
		yield* body;
	} finally {
		await body.return?.();
	}
}

function samples({ sampleRate, channels }: PcmFormat, body: AsyncIterable<Buffer>, length: number): PcmAudio {
	return { sampleRate, channels, mediaType: 'audio/pcm', body: firstBytes(body, length) };
}

/** At most `length` bytes. The rest is read and dropped, so that the program can end. */
async function* firstBytes(body: AsyncIterable<Buffer>, length: number) {
	let remaining = length;
	for await (const chunk of body) {
		if (remaining > 0) yield chunk.subarray(0, remaining);
		remaining -= chunk.byteLength;
	}
}
