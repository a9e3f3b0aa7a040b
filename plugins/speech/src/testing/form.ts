import assert from 'node:assert/strict';
import type { EncodedAudio, PcmAudio, SpeechRequest } from '../model.ts';

type Audio = PcmAudio | EncodedAudio;

/** Fails for an answer that is neither samples nor audio in the format that was asked for. */
export function checkForm(made: Audio, { format }: SpeechRequest): void {
	const isBody = typeof made.body === 'object' && Symbol.asyncIterator in made.body;
	assert(isBody, 'the body is no async iterable');
	for (const warning of made.warnings ?? []) {
		assert(typeof warning === 'string' && warning !== '', 'a warning is no sentence');
	}
	if (!('sampleRate' in made)) {
		assert.equal(made.format, format, `${made.format} was made where ${format} was asked for`);
		assert.equal(made.mediaType, mediaTypes[made.format]);
		return;
	}
	const { mediaType, sampleRate, channels } = made;
	assert.equal(mediaType, 'audio/pcm');
	assert(Number.isInteger(sampleRate) && sampleRate > 0, `${sampleRate} is no sample rate`);
	assert(channels === 1 || channels === 2, `there are ${channels} channels`);
}

/** Fails for a piece that is no bytes, or samples that are cut in the middle of a frame. */
export function checkPiece(piece: Uint8Array, made: Audio): void {
	assert(piece instanceof Uint8Array, 'a piece of the body is no Uint8Array');
	if (!('sampleRate' in made)) return;
	const frame = made.channels * 2;
	assert.equal(piece.byteLength % frame, 0, `a piece has ${piece.byteLength} bytes: no whole frames`);
}

/** Fails for no bytes, and for encoded ones that do not begin as their format does. */
export function checkHead(bytes: Buffer, made: Audio): void {
	assert(bytes.byteLength > 0, 'there is no sound');
	if ('sampleRate' in made) return;
	const head = bytes.subarray(0, 12).toString('latin1');
	assert(heads[made.format].test(head), `the bytes are no ${made.format}`);
}

const mediaTypes: Readonly<Record<EncodedAudio['format'], string>> = {
	mp3: 'audio/mpeg',
	opus: 'audio/ogg',
	aac: 'audio/aac',
	flac: 'audio/flac',
	wav: 'audio/wav',
};

/** MP3 is a frame or an ID3 tag (ISO/IEC 11172-3), AAC an ADTS frame (ISO/IEC 13818-7), Opus an Ogg page (RFC 7845). */
const heads: Readonly<Record<EncodedAudio['format'], RegExp>> = {
	mp3: /^(?:ID3|\xff[\xe2-\xff])/,
	opus: /^OggS/,
	aac: /^\xff[\xf0\xf1\xf8\xf9]/,
	flac: /^fLaC/,
	wav: /^RIFF.{4}WAVE/s,
};
