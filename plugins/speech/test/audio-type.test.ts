import { expect, it } from 'vitest';
import { audioTypeOf } from '../src/model.ts';

const bytes = (text: string) => Buffer.from(text.padEnd(12, '\0'), 'latin1');

it.each([
	['RIFF\0\0\0\0WAVE', 'wav', 'audio/wav'],
	['OggS', 'opus', 'audio/ogg'],
	['fLaC', 'flac', 'audio/flac'],
	['ID3', 'mp3', 'audio/mpeg'],
])('%j is %s, also where samples are possible', (head, format, mediaType) => {
	expect(audioTypeOf(bytes(head))).toEqual({ format, mediaType });
	expect(audioTypeOf(bytes(head), { mayBePcm: true })).toEqual({ format, mediaType });
});

it.each([
	['\xff\xfb', 'mp3', 'audio/mpeg'],
	['\xff\xe3', 'mp3', 'audio/mpeg'],
	['\xff\xf1', 'aac', 'audio/aac'],
	['\xff\xf9', 'aac', 'audio/aac'],
])('a frame that begins with %j is %s, unless samples are possible', (head, format, mediaType) => {
	expect(audioTypeOf(bytes(head))).toEqual({ format, mediaType });
	expect(audioTypeOf(bytes(head), { mayBePcm: true })).toBeUndefined();
});

it.each(['', '\xff\x1f', 'RIFF\0\0\0\0WEBP', '<html>'])('%j is not audio', (head) => {
	expect(audioTypeOf(Buffer.from(head, 'latin1'))).toBeUndefined();
});
