import { unsupportedValue } from '@plinth/core';
import type { AudioEncoder, AudioFormat, EncodedAudioFormat } from './model.ts';

/** Every `response_format` of the wire. */
export const audioFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;

/** Tells whether a format can be made from PCM in this deployment. */
export function isMakeable(format: AudioFormat, encoder: AudioEncoder | undefined): boolean {
	return isPlain(format) || encoder?.formats.includes(format) === true;
}

/** Tells the formats that need no encoder. */
export function isPlain(format: AudioFormat): format is Exclude<AudioFormat, EncodedAudioFormat> {
	return format === 'wav' || format === 'pcm';
}

/** 400 for a format that neither the model nor this deployment makes. The message says what works and what would. */
export function unsupportedFormat(
	format: AudioFormat,
	encoder: AudioEncoder | undefined,
	defaultFormat: AudioFormat,
): Error {
	const working = audioFormats.filter((candidate) => isMakeable(candidate, encoder));
	const fallback =
		format === defaultFormat ? ` It is what a request gets that names no response_format.` : '';
	return unsupportedValue(
		'response_format',
		`${format} is not available: the model does not make it, and no audio encoder of this server does.${fallback} Ask for one of ${working.join(', ')}, or add an audio encoder to the server's config.`,
	);
}
