import { type ByteSource, defineRoute, errorFrom, errors, Reply, type Route } from '@plinth/core';
import { type FileContext, findFile } from '../context.ts';
import { fileErrors } from '../errors.ts';
import { idParams } from '../fields.ts';
import type { FileStore } from '../file-store.ts';
import type { StoredFile } from '../record.ts';

const unknownType = 'application/octet-stream';

/** The types that are named in an answer, none of which a browser runs. HTML, SVG, XML and whatever else are bytes. */
const namedTypes: readonly string[] = [
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
			description: 'The bytes, as an attachment. Types that a browser could run are not named.',
			mediaTypes: [unknownType, ...namedTypes],
			ranges: true,
		},
		errors: [
			fileErrors.E_FILE_NOT_FOUND,
			fileErrors.E_FILE_CONTENT_MISSING,
			errors.E_STORE_UNAVAILABLE,
		],
		async handler({ params }, { principal }) {
			const file = await findFile(context, principal.tenant, params.id);
			const { mediaType, sha256, filename } = file.value;
			return Reply.binary(stored(context.shelf, file), {
				mediaType: namedTypes.includes(mediaType) ? mediaType : unknownType,
				etag: sha256,
				filename,
				ranges: true,
			});
		},
	});
}

/** The record knows how large a file is, so the store is asked once. Bytes that are gone are found out before the head is sent. */
function stored(shelf: FileStore, { id, value }: StoredFile): ByteSource {
	const missing = () => errorFrom(fileErrors, 'E_FILE_CONTENT_MISSING');
	return {
		size: value.size,
		async open(range) {
			const bytes = await shelf.bytes(id, range);
			if (!bytes) throw missing();
			return bytes;
		},
		async check() {
			if (!(await shelf.hasBytes(id))) throw missing();
		},
	};
}
