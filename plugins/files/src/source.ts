import { type FileSource, plinthError } from '@plinth/core';
import type { Shelf } from './shelf.ts';

/** The stored files for plugins whose requests name them by `file_id`. */
export function fileSource(shelf: Shelf): FileSource {
	return {
		async open(tenant, id) {
			const file = await shelf.find(tenant, id);
			if (!file) return null;
			const { filename, size, mediaType, sha256 } = file.value;
			return { id, filename, size, mediaType, sha256, stream: () => bytesOf(shelf, id) };
		},
	};
}

async function* bytesOf(shelf: Shelf, id: string): AsyncGenerator<Uint8Array> {
	const bytes = await shelf.bytes(id);
	if (!bytes) {
		throw plinthError('E_STORE_UNAVAILABLE', { message: `The content of ${id} has gone.` });
	}
	yield* bytes;
}
