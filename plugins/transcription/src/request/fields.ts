import { codePoints, fileField } from '@plinth/core';
import { formBoolean } from '@plinth/toolkit';
import { z } from 'zod';

/** A list. A form with only one item sends that value instead of a list. */
function formList<T extends z.ZodType>(item: T) {
	const asList = (value: unknown) => (value === undefined || Array.isArray(value) ? value : [value]);
	return z.preprocess(asList, z.array(item).max(16).optional());
}

const temperature = z.preprocess(
	(value) =>
		typeof value === 'string' && /^-?\d{1,9}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?$/i.test(value) ? Number(value) : value,
	z.number().min(0).max(1).optional(),
);
const language = z.string().regex(/^(?:[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?)?$/, 'a code such as "en" is expected');
const chunking = z.union([z.string(), z.object({ type: z.string() })]);
const format = z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']).default('json');

/** The body of `POST /v1/audio/translations`. Unknown fields are tolerated: SDKs send extra ones. */
export function translationBody(maxBytes: number) {
	const file = fileField({ maxBytes, description: 'WAV, MP3, MP4 (M4A), Ogg, FLAC or WebM.' });
	const file_id = z.string().max(256);
	return z
		.object({
			file: file.optional(),
			file_id: file_id.optional().meta({ description: 'An extension: the id of an uploaded file, instead of `file`.' }),
			model: codePoints({ min: 1, max: 256 }).meta({ description: 'The id of a model; GET /v1/models lists them.' }),
			prompt: codePoints({ max: 32_000 }).optional().meta({
				description: 'Preceding text, or words that the model should expect.',
			}),
			response_format: format.meta({
				description: '`srt` and `vtt` need a model that returns times. `diarized_json` is not available.',
			}),
			temperature: temperature.meta({ description: 'Absent: the model decides.' }),
		})
		.meta({ id: 'TranslationCreate', description: 'Audio to translate into English text.', override: oneFile });
}

/** The body of `POST /v1/audio/transcriptions`. */
export function transcriptionBody(maxBytes: number) {
	return z
		.object({
			...translationBody(maxBytes).shape,
			language: language.optional().meta({ description: 'ISO 639-1. Absent or empty: the model detects it.' }),
			stream: formBoolean()
				.default(false)
				.meta({ description: 'Responds with events. Only with `json` and `text`.', override: { default: false } }),
			timestamp_granularities: formList(z.enum(['word', 'segment'])).meta({
				description: 'The times of `verbose_json`; those of segments by default.',
			}),
			include: formList(z.enum(['logprobs'])).meta({ description: 'Not available: causes a warning.' }),
			chunking_strategy: chunking.optional().meta({ description: 'All but `auto` causes a warning.' }),
		})
		.meta({ id: 'TranscriptionCreate', description: 'Audio, and how to transcribe it.', override: oneFile });
}

const oneFile = { oneOf: [{ required: ['file'] }, { required: ['file_id'] }] };

/** A checked body of either route. */
export type AnyBody = z.output<ReturnType<typeof translationBody>> &
	Partial<z.output<ReturnType<typeof transcriptionBody>>>;
