import { z } from 'zod';
import type { MovableFile } from '../ports/blob-store.ts';
import { withArticle } from '../words.ts';

/** A file of a request, or one that its handler keeps. It is deleted when the request and its events have ended. */
export interface UploadedFile extends MovableFile {
	readonly $kind: 'plinth.upload';
	/** As the client sent it, without directories; metadata only, never a path. Empty for a data URL. */
	readonly filename: string;
	/** Detected from the content, not from the client's label; `application/octet-stream` when unknown. */
	readonly mediaType: string;
	/** The temporary file, for programs and libraries that read files themselves. */
	readonly path: string;
	bytes(): Promise<Uint8Array>;
	stream(): AsyncIterable<Uint8Array>;
}

/** The limit that the API documents as 50 MB. */
export const maxFileBytes = 52_428_800;

/** A schema for a multipart file field of at most `maxBytes`. The default is 52,428,800. */
export function fileField(
	options: { readonly maxBytes?: number; readonly description?: string } = {},
): z.ZodType<UploadedFile> {
	const { maxBytes = maxFileBytes, description = 'A file.' } = options;
	const schema = z
		.custom<UploadedFile>(isUpload, {
			error: ({ input }) => `expected a file, found ${withArticle(Array.isArray(input) ? 'array' : typeof input)}`,
			params: { code: 'E_VALUE_TYPE' },
			abort: true,
		})
		.superRefine((file, ctx) => {
			if (file.size <= maxBytes) return;
			const message = `the file has more than ${maxBytes} bytes`;
			ctx.addIssue({ code: 'custom', message, params: { code: 'E_BODY_TOO_LARGE' } });
		});
	return schema.meta({
		override: { type: 'string', format: 'binary', description: `${description} At most ${maxBytes} bytes.` },
	});
}

/** Whether a value is an uploaded file. A client cannot forge one, because JSON has no functions. */
export function isUpload(value: unknown): value is UploadedFile {
	if (typeof value !== 'object' || value === null) return false;
	const { $kind, bytes, stream } = value as Partial<UploadedFile>;
	return $kind === 'plinth.upload' && typeof bytes === 'function' && typeof stream === 'function';
}
