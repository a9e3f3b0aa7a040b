import { formInteger } from '@plinth/toolkit';
import { z } from 'zod';
import { pageRanges } from './pages.ts';

/** Maximum number of documents in one request. */
export const maxFiles = 64;
/** Maximum of `max_chars`. */
export const maxChars = 20_000_000;

const file = { type: 'string' as const, format: 'binary' };
const labels = {
	filename: {
		type: ['string' as const, 'null' as const],
		description: 'A label, returned with the result. It has no effect.',
	},
	media_type: {
		type: ['string' as const, 'null' as const],
		description: 'A label without effect: the media type is detected from the content.',
	},
};
const [digit, last4Bits, last2Bits] = ['[A-Za-z0-9+/_-]', '[AQgw](?:==)?', '[AEIMQUYcgkosw048]=?'];
/** Base64 of at least one byte, as encoders write it. */
const base64 = `(?:${digit}{4})*(?:${digit}{4}|${digit}${last4Bits}|${digit}{2}${last2Bits})`;
const document = {
	type: 'object' as const,
	properties: {
		url: {
			type: 'string' as const,
			pattern: `^\\s*(?:[Dd][Aa][Tt][Aa]:|${base64}\\s*$)`,
			description:
				'The document as a data URL, or its base64 alone, as an encoder writes it. ' +
				'At most 52,428,800 bytes when decoded. Other addresses are not fetched.',
		},
		...labels,
	},
	required: ['url'],
};
const stored = {
	type: 'object' as const,
	properties: {
		file_id: {
			type: 'string' as const,
			description:
				'The id of an uploaded file. Its name is the default label. An unknown id is an error in its own result.',
		},
		...labels,
	},
	required: ['file_id'],
};
const list = (items: object) => ({
	type: 'array' as const,
	items,
	minItems: 1,
	maxItems: maxFiles,
});

/** The body of `POST /api/attachments/parse`. */
export const parseBody = z
	.object({
		files: z
			.unknown()
			.meta({
				description:
					`The documents, 1 to ${maxFiles} of them. Objects with a data URL or the id of an ` +
					'uploaded file in JSON; files in multipart bodies (`files`, several times `files` or ' +
					'`files[]`, or `file`).',
				override: {
					oneOf: [file, list(file), list({ type: 'object', oneOf: [document, stored] })],
				},
			})
			.optional(),
		file: z.unknown().optional(),
		pages: pageRanges.optional().meta({
			description: 'The pages to read of every document that has pages, counted from 1: `1-5,8`. Default: all.',
		}),
		max_chars: formInteger({ min: 1, max: maxChars }).optional().meta({
			description: 'Maximum characters of text per document. The rest is left out, and `truncated` is true.',
		}),
		ocr: z.enum(['auto', 'off']).default('auto').meta({
			description: '`auto`: pages that are pictures are read by OCR if the server has it.',
		}),
		format: z
			.enum(['text', 'markdown'])
			.default('text')
			.meta({
				description:
					'`markdown`: headings, lists and emphasis where the document marks them, and tables as pipe tables. ' +
					'`text`: plain text, with the columns of tables beside each other.',
			}),
	})
	.meta({
		id: 'AttachmentParse',
		description: 'Documents, and how to read them.',
		override: ({ jsonSchema }: { jsonSchema: { required?: string[]; properties?: Record<string, unknown> } }) => {
			jsonSchema.required = ['files'];
			// Another name of `files` in forms. The description of `files` mentions it.
			delete jsonSchema.properties?.file;
		},
		examples: [
			{
				files: [{ url: 'data:text/plain;base64,SGVsbG8u', filename: 'hello.txt' }],
				pages: '1-5,8',
			},
		],
	});

/** A validated body, without its documents. */
export type ParseBody = z.output<typeof parseBody>;
