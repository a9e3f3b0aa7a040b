import type { BlobStore } from '@plinth/core';
import { blobStoreSuite, createBackend } from '@plinth/testing';
import { expect, test } from 'vitest';
import { mapBlobs } from '../src/index.ts';

async function create() {
	const backend = await createBackend(mapBlobs());
	return { store: backend.provided as BlobStore, close: () => backend.stop() };
}

for (const { name, run } of blobStoreSuite({ create })) test(name, run);

test('a limit of no bytes is refused', async () => {
	await expect(createBackend(mapBlobs({ maxBytes: 0 }))).rejects.toThrow('maxBytes');
});
