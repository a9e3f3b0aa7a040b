import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordStore } from '@plinth/core';
import { createBackend } from '@plinth/testing';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteRecords } from '../src/index.ts';

const place = { tenant: 'a', collection: 'things' };
const ids = Array.from({ length: 500 }, (_, index) => String(index).padStart(4, '0'));

test('closing a store commits all accepted writes', async () => {
	const dir = await mkdtemp(join(tmpdir(), 'plinth-sqlite-close-'));
	onTestFinished(() => rm(dir, { recursive: true, force: true }));
	const open = () => createBackend<RecordStore>(sqliteRecords({ file: join(dir, 'a.db') }));
	const first = await open();
	const written: string[] = [];
	const put = async (id: string) => {
		await first.provided.put(place, id, { id });
		written.push(id);
	};
	// When the store is closed, some of these are being committed and some still wait.
	const early = ids.slice(0, 250).map(put);
	await new Promise(setImmediate);
	const late = ids.slice(250).map(put);
	await first.stop();
	// The process could exit now.
	expect(written).toEqual(ids);
	await Promise.all([...early, ...late]);
	const second = await open();
	onTestFinished(second.stop);
	const { records } = await second.provided.list(place, { limit: 1_000 });
	expect(records.map(({ id }) => id)).toEqual(ids);
});
