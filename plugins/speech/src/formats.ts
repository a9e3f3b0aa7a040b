import { unsupportedValue } from '@plinth/core';
import type { AudioEncoder, AudioFormat, EncodedAudioFormat, SpeechModel } from './model.ts';

/** Every `response_format`. */
export const audioFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;

/** Whether a format can be produced from PCM in this deployment. */
export function isSupported(format: AudioFormat, encoder: AudioEncoder | undefined): boolean {
	return needsNoEncoder(format) || encoder?.formats.includes(format) === true;
}

/** The formats in which this deployment can respond. Only `pcm` of a model can be converted to other formats. */
export function formatsFrom(made: readonly AudioFormat[], encoder: AudioEncoder | undefined): readonly AudioFormat[] {
	const isConverted = (format: AudioFormat) => made.includes('pcm') && isSupported(format, encoder);
	return audioFormats.filter((format) => made.includes(format) || isConverted(format));
}

/** Throws 400 `unsupported_value` for a format that cannot be produced. Skipped if the model states no formats. */
export function checkFormat({ abilities }: SpeechModel, format: AudioFormat, { encoder, defaultFormat }: FormatTools) {
	const formats = abilities?.formats && formatsFrom(abilities.formats, encoder);
	if (formats && !formats.includes(format)) throw unsupportedFormat(format, formats, defaultFormat);
}

/** What determines the formats besides the model. */
export interface FormatTools {
	readonly encoder: AudioEncoder | undefined;
	readonly defaultFormat: AudioFormat;
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
	supported: readonly AudioFormat[],
	defaultFormat: AudioFormat,
): Error {
	const fallback = format === defaultFormat ? ' It is the default of requests without response_format.' : '';
	return unsupportedValue(
		'response_format',
		`${format} is not available: neither the model nor an audio encoder of this server makes it.` +
			`${fallback} Ask for one of ${supported.join(', ')}, ` +
			"or add an audio encoder to the server's config.",
	);
}
