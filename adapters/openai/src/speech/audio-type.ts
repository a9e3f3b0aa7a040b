import type { EncodedAudioFormat } from '@plinth/plugin-speech/model';

/** A format that is recognised by its bytes. */
export type SniffedFormat = EncodedAudioFormat | 'wav';

/** Bytes that the recognition needs. */
export const sniffBytes = 12;

/** The media types of formats. */
export const mediaTypes: Readonly<Record<SniffedFormat, string>> = {
	mp3: 'audio/mpeg',
	opus: 'audio/ogg',
	aac: 'audio/aac',
	flac: 'audio/flac',
	wav: 'audio/wav',
};

/** The format of a file that starts with a signature. */
export function namedFormat(head: Buffer): SniffedFormat | undefined {
	if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE') return 'wav';
	if (head.toString('latin1', 0, 4) === 'OggS') return 'opus';
	if (head.toString('latin1', 0, 4) === 'fLaC') return 'flac';
	return head.toString('latin1', 0, 3) === 'ID3' ? 'mp3' : undefined;
}

/**
 * The same for formats that start with a frame: 11 or 12 set bits, then, in AAC, a layer of 0 (ISO/IEC 13818-7 §6.2).
 * PCM samples may have the same bits, so this is only for audio that should be encoded.
 */
export function framedFormat(head: Buffer): SniffedFormat | undefined {
	const second = head[1] ?? 0;
	if (head[0] !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
	return (second & 0xf6) === 0xf0 ? 'aac' : 'mp3';
}
