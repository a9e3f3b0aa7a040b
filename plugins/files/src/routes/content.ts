import { type ByteSource, defineRoute, errorFrom, errors, Reply, type Route } from '@plinth/core';
import { type FileContext, findFile } from '../context.ts';
import { fileErrors } from '../errors.ts';
import { idParams } from '../fields.ts';
import type { FileStore } from '../file-store.ts';
import type { StoredFile } from '../record.ts';

const unknownType = 'application/octet-stream';

/** Media types of responses. A browser executes none of them. Other files are sent as `application/octet-stream`. */
const safeTypes: readonly string[] = [
	'image/png',
	'image/jpeg',
	'image/webp',
	'image/gif',
	'audio/mpeg',
	'audio/wav',
	'audio/ogg',
	'audio/flac',
	'video/mp4',
	'video/webm',
	'application/pdf',
	'application/zip',
	'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
	'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
	'application/vnd.openxmlformats-officedocument.presentationml.presentation',
];

/** `GET /v1/files/{id}/content`: the bytes, with single ranges and a strong entity tag. */
export function fileContent(context: FileContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/files/{id}/content',
		scope: 'files:read',
		summary: 'Download a file',
		params: idParams,
		response: {
			description: 'The bytes, as an attachment. Types that browsers execute are sent as `application/octet-stream`.',
			mediaTypes: [unknownType, ...safeTypes],
			ranges: true,
		},
		errors: [fileErrors.E_FILE_NOT_FOUND, fileErrors.E_FILE_CONTENT_MISSING, errors.E_STORE_UNAVAILABLE],
		async handler({ params }, { principal }) {
			const file = await findFile(context, principal.tenant, params.id);
			const { sha256, filename, createdAt } = file.value;
			const mediaType = safeTypes.includes(file.value.mediaType) ? file.value.mediaType : unknownType;
			const redirect = await context.store.redirect(file.id, { filename, contentType: mediaType }, missing);
			if (redirect) return redirect;
			return Reply.binary(stored(context.store, file), {
				mediaType,
				etag: sha256,
				filename,
				ranges: true,
				headers: { 'last-modified': new Date(createdAt).toUTCString() },
			});
		},
	});
}

function missing(): Error {
	return errorFrom(fileErrors, 'E_FILE_CONTENT_MISSING');
}

/**
 * A stored file as a byte source. The record has its size, so one read of the store suffices. `check`
 * detects missing bytes before the response head is sent.
 */
function stored(store: FileStore, { id, value }: StoredFile): ByteSource {
	return {
		size: value.size,
		async open(range) {
			const bytes = await store.bytes(id, range);
			if (!bytes) throw missing();
			return bytes;
		},
		async check() {
			if (!(await store.hasBytes(id))) throw missing();
		},
	};
}
