import { unsupportedValue } from '@plinth/core';
import type { AudioEncoder, AudioFormat, EncodedAudioFormat } from './model.ts';

/** Every `response_format`. */
export const audioFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;

/** Whether a format can be produced from PCM in this deployment. */
export function isSupported(format: AudioFormat, encoder: AudioEncoder | undefined): boolean {
	return needsNoEncoder(format) || encoder?.formats.includes(format) === true;
}

/** Whether a format needs no encoder. */
export function needsNoEncoder(format: AudioFormat): format is Exclude<AudioFormat, EncodedAudioFormat> {
	return format === 'wav' || format === 'pcm';
}

/**
 * The 400 error for a format that neither the model nor this deployment produces. The message lists the
 * supported formats.
 */
export function unsupportedFormat(
	format: AudioFormat,
	encoder: AudioEncoder | undefined,
	defaultFormat: AudioFormat,
): Error {
	const supported = audioFormats.filter((candidate) => isSupported(candidate, encoder));
	const fallback = format === defaultFormat ? ' It is the default of requests without response_format.' : '';
	return unsupportedValue(
		'response_format',
		`${format} is not available: neither the model nor an audio encoder of this server makes it.` +
			`${fallback} Ask for one of ${supported.join(', ')}, ` +
			"or add an audio encoder to the server's config.",
	);
}
