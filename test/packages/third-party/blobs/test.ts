import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BlobStore } from '@plinth/core';
import { blobStoreSuite, createBackend } from '@plinth/testing';
import { sqliteBlobs } from 'plinth-sqlite-blobs';

async function create() {
	const folder = await mkdtemp(join(tmpdir(), 'sqlite-blobs-'));
	const open = () => createBackend<BlobStore>(sqliteBlobs({ file: join(folder, 'blobs.db') }));
	let backend = await open();
	return {
		store: backend.provided,
		async reopen() {
			await backend.stop();
			backend = await open();
			return backend.provided;
		},
		async close() {
			await backend.stop();
			await rm(folder, { recursive: true });
		},
	};
}

for (const { name, run } of blobStoreSuite({ create, supports: { reopen: true } })) {
	test(name, run);
}
