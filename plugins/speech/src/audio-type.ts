import type { EncodedAudio } from './model.ts';

/** The type of encoded audio. */
export type AudioType = Pick<EncodedAudio, 'format' | 'mediaType'>;

type Signatures = readonly (AudioType & { readonly head: RegExp })[];

const signatures: Signatures = [
	{ format: 'wav', mediaType: 'audio/wav', head: /^RIFF.{4}WAVE/s },
	{ format: 'opus', mediaType: 'audio/ogg', head: /^OggS/ },
	{ format: 'flac', mediaType: 'audio/flac', head: /^fLaC/ },
	{ format: 'mp3', mediaType: 'audio/mpeg', head: /^ID3/ },
];

/** Frames begin with 11 or 12 set bits, then, in AAC, a layer of 0 (ISO/IEC 13818-7 §6.2). */
const frames: Signatures = [
	{ format: 'aac', mediaType: 'audio/aac', head: /^\xff[\xf0\xf1\xf8\xf9]/ },
	{ format: 'mp3', mediaType: 'audio/mpeg', head: /^\xff[\xe0-\xff]/ },
];

/**
 * The type of encoded audio by its first 12 bytes; undefined for other bytes. `mayBePcm`: do not look for frames of
 * MP3 and AAC, because samples may begin with the same bits.
 */
export function audioTypeOf(bytes: Uint8Array, { mayBePcm = false } = {}): AudioType | undefined {
	const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
	const found = [...signatures, ...(mayBePcm ? [] : frames)].find(({ head }) => head.test(start));
	return found && { format: found.format, mediaType: found.mediaType };
}
