import { listPageSchema } from '@plinth/toolkit';
import { z } from 'zod';
import { idForm } from './ids.ts';
import { purposes, type StoredFile } from './record.ts';

const unixSeconds = z.int().min(0).meta({ description: 'Unix seconds.' });
const fileId = z.string().meta({ ...idForm });

/** The file object. */
export const fileSchema = z
	.object({
		id: fileId,
		object: z.literal('file'),
		bytes: z.int().min(1),
		created_at: unixSeconds,
		expires_at: unixSeconds
			.optional()
			.meta({ description: 'Unix seconds at which the file expires; absent when it does not.' }),
		filename: z.string().meta({ description: 'As it was sent, without directories.' }),
		purpose: z.enum(purposes),
		status: z.literal('processed'),
		media_type: z.string().meta({
			description: 'Detected from the content; `application/octet-stream` when unknown, as for text.',
		}),
	})
	.meta({ id: 'File' });

/** One page of files. `first_id` and `last_id` are null on an empty page. */
export const fileListSchema = listPageSchema(fileSchema, fileId, 'FileList');

/** The response to a deletion. */
export const fileDeletedSchema = z
	.object({ id: fileId, object: z.literal('file'), deleted: z.literal(true) })
	.meta({ id: 'FileDeleted' });

/** A file as the API returns it. */
export type WireFile = z.infer<typeof fileSchema>;

/** Converts a record to the API's file object. */
export function toFile({ id, value }: StoredFile): WireFile {
	const { size, createdAt, expiresAt, filename, purpose, mediaType } = value;
	return {
		id,
		object: 'file',
		bytes: size,
		created_at: Math.floor(createdAt / 1000),
		...(expiresAt === null ? {} : { expires_at: expiresAt / 1000 }),
		filename,
		purpose,
		status: 'processed',
		media_type: mediaType,
	};
}
