import type { WireError } from '@plinth/core';
import type { DocumentPage, DocumentText } from '@plinth/toolkit';
import { z } from 'zod';

const page = z.object({
	page: z.int().min(1).meta({ description: 'The number of the page, counted from 1.' }),
	text: z.string().meta({
		description: 'Its text in reading order; columns one after the other, rows of tables in one line each.',
	}),
	width: z.number().optional().meta({ description: 'In points, where the format has a page size.' }),
	height: z.number().optional().meta({ description: 'In points, where the format has a page size.' }),
	needs_ocr: z.literal(true).optional().meta({ description: 'The page is a picture whose text was not read.' }),
});

const result = z.object({
	filename: z.string().optional().meta({ description: 'The label of the request, or the name of the stored file.' }),
	media_type: z.string().optional().meta({ description: 'The media type, detected from the content.' }),
	page_count: z.int().optional().meta({ description: 'Number of pages of the whole document.' }),
	truncated: z.boolean().optional().meta({ description: 'Whether text was left out because of a limit.' }),
	metadata: z
		.object({
			title: z.string().optional(),
			author: z.string().optional(),
			created: z.string().optional(),
		})
		.optional()
		.meta({ description: 'Metadata in the document.' }),
	content: z
		.object({
			pages: z.array(page).optional().meta({ description: 'The requested pages, including empty ones.' }),
			text: z.string().optional().meta({ description: 'The whole text of a format without pages.' }),
		})
		.meta({ description: 'Empty when the document could not be read.' }),
	error: z
		.object({ code: z.string(), message: z.string() })
		.optional()
		.meta({ description: 'Why this document could not be read. The others are not affected.' }),
});

/** The response of `POST /api/attachments/parse`. */
export const parseAnswer = z
	.object({
		results: z.array(result).meta({ description: 'One entry per document, in the order of the request.' }),
		warnings: z
			.array(z.string())
			.optional()
			.meta({
				description:
					'Parameters that the server does not know, and documents without any of the requested pages; absent when ' +
					'there are none.',
			}),
	})
	.meta({ id: 'ParsedAttachments', description: 'The texts of the documents.' });

/** One entry of a response. */
export type ParsedAttachment = z.input<typeof result>;

/** The entry of a document that was read. */
export function parsed(filename: string | undefined, read: DocumentText): ParsedAttachment {
	const { pages, text = '', pageCount, metadata } = read;
	return {
		...label(filename),
		media_type: read.mediaType,
		...(pageCount === undefined ? {} : { page_count: pageCount }),
		truncated: read.truncated,
		...(Object.keys(metadata).length === 0 ? {} : { metadata }),
		content: pages ? { pages: pages.map(wirePage) } : { text },
	};
}

/** The entry of a document that could not be read. */
export function failed(
	filename: string | undefined,
	{ code, message }: Pick<WireError, 'code' | 'message'>,
): ParsedAttachment {
	return { ...label(filename), content: {}, error: { code: code ?? 'server_error', message } };
}

function label(filename: string | undefined): { filename?: string } {
	return filename === undefined ? {} : { filename };
}

function wirePage({ page, text, width, height, needsOcr }: DocumentPage) {
	return {
		page,
		text,
		...(width === undefined ? {} : { width }),
		...(height === undefined ? {} : { height }),
		...(needsOcr ? { needs_ocr: true as const } : {}),
	};
}
