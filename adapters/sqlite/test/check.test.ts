import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobStore } from '@plinth/core';
import { createBackend } from '@plinth/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sqliteJobs } from '../src/index.ts';

let dir: string;
let file: string;

beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), 'sqlite-check-'));
	file = join(dir, 'jobs.db');
});

afterEach(() => rm(dir, { recursive: true, force: true }));

async function look(): Promise<readonly string[] | undefined> {
	const { provided, stop } = await createBackend<JobStore>(sqliteJobs({ file }));
	try {
		return await provided.check?.();
	} finally {
		await stop();
	}
}

test('an intact file has no problems', async () => {
	expect(await look()).toEqual([]);
});

test('damage inside the file is found, and the report names the file', async () => {
	await look();
	const bytes = await readFile(file);
	// After the pages that every start reads.
	await writeFile(file, bytes.fill(0xa5, 4_096 * 3, 4_096 * 6));
	expect((await look())?.join()).toContain(file);
});
