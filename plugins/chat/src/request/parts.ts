import { z } from 'zod';

/** Maximum number of files in one request: documents, pictures and audio. */
export const maxFiles = 64;

/**
 * A field with base64 of any length; long values arrive as files. The schema only documents the field; the value is
 * validated where it is used.
 */
function sentData(description: string) {
	return z.unknown().meta({ description, override: { type: 'string', description } });
}

const text = z.object({ type: z.literal('text'), text: z.string() }).meta({ id: 'ChatTextPart', description: 'Text.' });

const refusal = z
	.object({ type: z.literal('refusal'), refusal: z.string() })
	.meta({ id: 'ChatRefusalPart', description: 'The refusal of an earlier answer.' });

const imageUrl = z.object({
	url: sentData(
		'A base64 data URL of a PNG, JPEG or WebP, or an http(s) address. The server fetches addresses ' +
			'where its operator allows this; otherwise the model may fetch them.',
	),
	detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
});

const image = z
	.object({ type: z.literal('image_url'), image_url: imageUrl })
	.meta({ id: 'ChatImagePart', description: 'A picture.' });

const audio = z
	.object({
		type: z.literal('input_audio'),
		input_audio: z.object({
			data: sentData('The audio, in base64.'),
			format: z.enum(['wav', 'mp3']),
		}),
	})
	.meta({
		id: 'ChatAudioPart',
		description: 'Audio. For models that accept no audio, a transcription model of the server transcribes it.',
	});

const file = z
	.object({
		type: z.literal('file'),
		file: z.object({
			filename: z
				.string()
				.max(1024)
				.nullish()
				.meta({ description: 'A label for people; the content decides what the file is.' }),
			file_name: z.string().max(1024).nullish().meta({ description: 'Another spelling of `filename`.' }),
			file_data: sentData(
				'The file: a data URL, or base64 alone. At most 52,428,800 bytes. ' +
					'Its text is read before the model receives the message.',
			).optional(),
			file_id: z
				.unknown()
				.meta({
					override: { type: 'string' },
					description: 'The id of a file that was uploaded before, in place of `file_data`.',
				})
				.optional(),
			file_url: z
				.unknown()
				.meta({
					override: { type: 'string' },
					description: 'Not available: addresses are not fetched.',
				})
				.optional(),
		}),
	})
	.meta({
		id: 'ChatFilePart',
		description: 'A document, a spreadsheet, an e-mail, or another file with text.',
	});

/** The content of `user` messages. */
export const userContent = z.union([
	z.string(),
	z.array(z.discriminatedUnion('type', [text, image, audio, file])).min(1),
]);

/** The content of `system`, `developer` and `tool` messages. */
export const textContent = z.union([z.string(), z.array(text).min(1)]);

/** The content of `assistant` messages. */
export const assistantContent = z.union([z.string(), z.array(z.discriminatedUnion('type', [text, refusal]))]);

/** A part of a user message in the request body. */
export type SentPart = Exclude<z.output<typeof userContent>, string>[number];
