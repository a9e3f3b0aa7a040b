import assert from 'node:assert/strict';
import { type EncodedAudio, isSampleRate, type PcmAudio, type SpeechRequest } from '../model.ts';

type Audio = PcmAudio | EncodedAudio;

/** Fails if the result is neither samples nor audio in the requested format. */
export function checkForm(made: Audio, { format }: SpeechRequest): void {
	const isBody = typeof made.body === 'object' && Symbol.asyncIterator in made.body;
	assert(isBody, 'the body is not an async iterable');
	for (const warning of made.warnings ?? []) {
		assert(typeof warning === 'string' && warning !== '', 'a warning is empty or not a string');
	}
	if (!('sampleRate' in made)) {
		assert.equal(made.format, format, `${made.format} was returned, but ${format} was requested`);
		assert.equal(made.mediaType, mediaTypes[made.format]);
		return;
	}
	const { mediaType, sampleRate, channels } = made;
	assert.equal(mediaType, 'audio/pcm');
	assert(isSampleRate(sampleRate), `${sampleRate} is not a sample rate from 1,000 to 768,000`);
	assert(channels === 1 || channels === 2, `there are ${channels} channels`);
}

/** Fails if there are no bytes, if samples end within a frame, or if encoded bytes do not begin like their format. */
export function checkBytes(bytes: Buffer, made: Audio): void {
	assert(bytes.byteLength > 0, 'there is no audio');
	if ('sampleRate' in made) {
		const frame = made.channels * 2;
		assert.equal(bytes.byteLength % frame, 0, `${bytes.byteLength} bytes are no multiple of ${frame}, a frame`);
		return;
	}
	const head = bytes.subarray(0, 12).toString('latin1');
	assert(heads[made.format].test(head), `the bytes are not ${made.format}`);
}

const mediaTypes: Readonly<Record<EncodedAudio['format'], string>> = {
	mp3: 'audio/mpeg',
	opus: 'audio/ogg',
	aac: 'audio/aac',
	flac: 'audio/flac',
	wav: 'audio/wav',
};

/**
 * MP3 begins with a frame or an ID3 tag (ISO/IEC 11172-3), AAC with an ADTS frame (ISO/IEC 13818-7), Opus with an Ogg
 * page (RFC 7845).
 */
const heads: Readonly<Record<EncodedAudio['format'], RegExp>> = {
	mp3: /^(?:ID3|\xff[\xe2-\xff])/,
	opus: /^OggS/,
	aac: /^\xff[\xf0\xf1\xf8\xf9]/,
	flac: /^fLaC/,
	wav: /^RIFF.{4}WAVE/s,
};
