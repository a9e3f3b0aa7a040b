import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '@plinth/core';
import { createBackend } from '@plinth/testing';
import { expect, test } from 'vitest';
import { fsBlobs } from '../src/index.ts';

test('a missing directory is reported as unavailable, not as an empty store', async () => {
	const dir = await mkdtemp(join(tmpdir(), 'fs-ping-'));
	const { provided, stop } = await createBackend<BlobStore>(fsBlobs({ dir }));
	await expect(provided.ping?.()).resolves.toBeUndefined();
	expect(await provided.head('readiness/nothing')).toBeNull();
	await rm(dir, { recursive: true });
	expect(await provided.head('readiness/nothing')).toBeNull();
	await expect(provided.ping?.()).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
	await stop();
});
