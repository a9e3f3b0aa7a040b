import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordStore } from '@plinth/core';
import { createBackend } from '@plinth/testing';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteRecords } from '../src/index.ts';

const place = { tenant: 'a', collection: 'things' };
const ids = Array.from({ length: 500 }, (_, index) => String(index).padStart(4, '0'));

test('a store that is closed has written all that it was given', async () => {
	const dir = await mkdtemp(join(tmpdir(), 'plinth-sqlite-close-'));
	onTestFinished(() => rm(dir, { recursive: true, force: true }));
	const open = () => createBackend<RecordStore>(sqliteRecords({ file: join(dir, 'a.db') }));
	const first = await open();
	const written: string[] = [];
	const put = async (id: string) => {
		await first.provided.put(place, id, { id });
		written.push(id);
	};
	// Of these some are being committed, and some still wait, when the store is closed.
	const early = ids.slice(0, 250).map(put);
	await new Promise(setImmediate);
	const late = ids.slice(250).map(put);
	await first.stop();
	// The process may end now.
	expect(written).toEqual(ids);
	await Promise.all([...early, ...late]);
	const second = await open();
	onTestFinished(second.stop);
	const { records } = await second.provided.list(place, { limit: 1_000 });
	expect(records.map(({ id }) => id)).toEqual(ids);
});
