import { z } from 'zod';

/** A file of a request, or one that its handler keeps. It is deleted when the request and its events are over. */
export interface UploadedFile {
	readonly $kind: 'plinth.upload';
	/** As the client sent it, without directories; metadata only, never a path. Empty for a data URL. */
	readonly filename: string;
	/** Bytes. */
	readonly size: number;
	/** Lower-case hex SHA-256 of the bytes. */
	readonly sha256: string;
	/** Decided by content; `application/octet-stream` when unknown. The client's label is ignored. */
	readonly mediaType: string;
	/** The temporary file, for programs and libraries that read files themselves. */
	readonly path: string;
	/** Reads the whole file. */
	bytes(): Promise<Uint8Array>;
	/** Reads the file in chunks. */
	stream(): AsyncIterable<Uint8Array>;
}

/** "50 MB" of the interface. */
export const maxFileBytes = 52_428_800;

/** A schema for a multipart file field of at most `maxBytes`, 52,428,800 unless set. */
export function fileField(
	options: {
		readonly maxBytes?: number;
		/** Accepted media types, decided by content; every type when absent. */
		readonly mediaTypes?: readonly string[];
		readonly description?: string;
	} = {},
): z.ZodType<UploadedFile> {
	const { maxBytes = maxFileBytes, mediaTypes } = options;
	const schema = z
		.custom<UploadedFile>(isUpload, {
			error: 'expected a file, found something else',
			params: { code: 'E_VALUE_TYPE' },
			abort: true,
		})
		.superRefine((file, ctx) => {
			if (file.size > maxBytes) {
				ctx.addIssue({
					code: 'custom',
					message: `the file has more than ${maxBytes} bytes`,
					params: { code: 'E_BODY_TOO_LARGE' },
				});
			} else if (mediaTypes && !mediaTypes.includes(file.mediaType)) {
				ctx.addIssue({ code: 'custom', message: `the file must be one of ${mediaTypes.join(', ')}` });
			}
		});
	return schema.meta({
		override: {
			type: 'string',
			format: 'binary',
			...(mediaTypes ? { contentMediaType: mediaTypes.join(', ') } : {}),
			description: `${options.description ?? 'A file.'} At most ${maxBytes} bytes.`,
		},
	});
}

/** Tells an uploaded file from other values. A client cannot forge one: JSON has no functions. */
export function isUpload(value: unknown): value is UploadedFile {
	if (typeof value !== 'object' || value === null) return false;
	const { $kind, bytes, stream } = value as Partial<UploadedFile>;
	return $kind === 'plinth.upload' && typeof bytes === 'function' && typeof stream === 'function';
}
