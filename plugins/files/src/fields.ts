import { fileField } from '@plinth/core';
import { formInteger, pageFields } from '@plinth/toolkit';
import { z } from 'zod';
import { idForm } from './ids.ts';
import { purposes } from './record.ts';

/** Maximum file size: "512 MB" as OpenAI counts it, in bytes. */
export const maxFileBytes = 536_870_912;

/**
 * Maximum files on one page. OpenAI's limit is 10,000; clients that request more get the rest in further
 * pages, announced by `has_more`.
 */
export const maxPage = 1_000;

/** The form of `POST /v1/files`. Unknown fields are tolerated: SDKs send extra ones. */
export const uploadBody = z
	.object({
		file: fileField({ maxBytes: maxFileBytes, description: 'The file.' }).refine(({ size }) => size > 0, {
			error: 'the file is empty',
		}),
		purpose: z.enum(purposes).meta({
			description: 'The purpose of the file. It is stored and has no other effect.',
		}),
		expires_after: z
			.object({
				anchor: z.literal('created_at'),
				seconds: formInteger({ min: 3_600, max: 2_592_000 }),
			})
			.optional()
			.meta({
				description:
					'When the file expires, in two fields: `expires_after[anchor]` and ' +
					'`expires_after[seconds]`. Without them it never expires.',
			}),
	})
	.meta({ id: 'FileCreate' });

/** The path parameter of one file. A malformed id passes here; the handler responds as for an unknown id. */
export const idParams = z.object({
	id: z.string().meta({ description: 'The id of a file.', ...idForm }),
});

/** The query of `GET /v1/files`. */
export const listQuery = z.object({
	...pageFields('a file', idForm, {
		min: 1,
		max: 10_000,
		fallback: 10_000,
		description: `Files on a page; a page has at most ${maxPage}.`,
	}),
	order: z.enum(['asc', 'desc']).default('desc').meta({ description: 'By creation time.' }),
	purpose: z
		.string()
		.optional()
		.meta({ description: 'Only files with this purpose; an unknown purpose matches none.' }),
});
