import { plinthError } from '@plinth/core';
import type { FileSource } from '@plinth/toolkit';
import type { FileStore } from './file-store.ts';

/** The stored files for plugins whose requests reference them by `file_id`. */
export function fileSource(store: FileStore): FileSource {
	return {
		async open(tenant, id) {
			const file = await store.find(tenant, id);
			if (!file) return null;
			const { filename, size, mediaType, sha256 } = file.value;
			return { id, filename, size, mediaType, sha256, stream: () => bytesOf(store, id) };
		},
	};
}

async function* bytesOf(store: FileStore, id: string): AsyncGenerator<Uint8Array> {
	const bytes = await store.bytes(id);
	if (!bytes) {
		throw plinthError('E_STORE_UNAVAILABLE', { message: `The content of ${id} was deleted.` });
	}
	yield* bytes;
}
