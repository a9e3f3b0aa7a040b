import type { BlobStore, RecordStore } from '@plinth/core';
import { errorOf, eventually, manualClock } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { sweepMs, uploadTimeoutMs } from '../src/sweep.ts';
import { changed, contents, harness, memoryStores, type Page, type Stores } from './harness.ts';

const expiry = { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' };
const hour = 3_600_000;

/**
 * Stores whose process dies at a write. The `fatal`-th write is applied or not, and later calls fail. Conditional puts
 * and deletions count as writes.
 */
function dying(stores: Stores, fatal: number, isMade: boolean) {
	const state = { writes: 0, isDead: false };
	const guard =
		<A extends unknown[], R>(isWrite: boolean, task: (...args: A) => Promise<R>) =>
		async (...args: A): Promise<R> => {
			if (state.isDead) throw new Error('The process is dead.');
			if (isWrite && ++state.writes === fatal) {
				state.isDead = true;
				if (isMade) await task(...args);
				throw new Error('The process has died.');
			}
			return task(...args);
		};
	const { records, blobs } = stores;
	return {
		state,
		records: changed<RecordStore>(records, {
			put: guard(true, (...args) => records.put(...args)),
			delete: guard(true, (...args) => records.delete(...args)),
			get: guard(false, (...args) => records.get(...args)) as RecordStore['get'],
			list: guard(false, (...args) => records.list(...args)) as RecordStore['list'],
		}),
		blobs: changed<BlobStore>(blobs, {
			put: guard(true, (...args) => blobs.put(...args)),
			delete: guard(true, (...args) => blobs.delete(...args)),
		}),
	};
}

/** Expects that each blob has a record, and that each visible file has its bytes. */
async function expectSound(stores: Stores): Promise<void> {
	const { states, blobs } = await contents(stores);
	for (const key of blobs) expect(Object.keys(states)).toContain(key.slice('files/'.length));
	for (const [id, state] of Object.entries(states)) {
		if (state === 'ready') expect(blobs).toContain(`files/${id}`);
	}
}

const deaths = [1, 2, 3].flatMap((write) => [
	{ write, isMade: false },
	{ write, isMade: true },
]);

describe('a crash', () => {
	it.each(deaths)(
		'during an upload leaves nothing behind: write $write, applied: $isMade',
		async ({ write, isMade }) => {
			const clock = manualClock();
			const stores = await memoryStores(clock);
			const mortal = dying(stores, write, isMade);
			const before = await harness({ clock, stores: mortal });
			expect((await before.upload()).status).toBe(500);
			expect(mortal.state).toEqual({ writes: write, isDead: true });
			await expectSound(stores);

			const after = await harness({ clock, stores });
			const isStored = write === 3 && isMade;
			expect((await after.json<Page>('/v1/files')).data).toHaveLength(isStored ? 1 : 0);
			await clock.advance(uploadTimeoutMs + sweepMs);
			const count = isStored ? 1 : 0;
			await eventually('the rest is deleted', async () => {
				const { states, blobs } = await contents(stores);
				return Object.keys(states).length === count && blobs.length === count;
			});
		},
	);

	it.each(deaths)('during a deletion restores no file: write $write, applied: $isMade', async ({ write, isMade }) => {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		const { id } = await (await harness({ clock, stores })).stored();
		const mortal = dying(stores, write, isMade);
		const before = await harness({ clock, stores: mortal });
		const answer = await before.send('DELETE', `/v1/files/${id}`);
		expect(answer.status).toBe(write === 1 ? 500 : 200);
		await expectSound(stores);

		const after = await harness({ clock, stores });
		const isDeleted = write > 1 || isMade;
		expect((await after.get(`/v1/files/${id}`)).status).toBe(isDeleted ? 404 : 200);
		await eventually('the rest is deleted', async () => {
			const { states, blobs } = await contents(stores);
			return Object.keys(states).length + blobs.length === (isDeleted ? 0 : 2);
		});
	});
});

describe('a failed upload', () => {
	it('leaves nothing behind when the bytes cannot be stored', async () => {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		const put = () => Promise.reject(new Error('no disk'));
		const h = await harness({
			clock,
			stores: { ...stores, blobs: changed(stores.blobs, { put }) },
		});
		expect((await h.upload()).status).toBe(500);
		expect(await contents(stores)).toEqual({ states: {}, blobs: [] });
	});

	it('leaves nothing behind when the response to its last write is lost', async () => {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		let puts = 0;
		const put: RecordStore['put'] = async (...args) => {
			const version = await stores.records.put(...args);
			puts += 1;
			if (puts === 2) throw new Error('cut off');
			return version;
		};
		const records = changed(stores.records, { put });
		const h = await harness({ clock, stores: { ...stores, records } });
		expect((await h.upload()).status).toBe(500);
		expect(await contents(stores)).toEqual({ states: {}, blobs: [] });
	});

	it('leaves nothing behind when the client disconnects', async () => {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		const controller = new AbortController();
		const put: BlobStore['put'] = (_key, _body, { signal }) => {
			controller.abort();
			return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
		};
		const h = await harness({
			clock,
			stores: { ...stores, blobs: changed(stores.blobs, { put }) },
		});
		const form = new FormData();
		form.set('purpose', 'vision');
		form.set('file', new Blob(['x']), 'a');
		const sent = h.send('POST', '/v1/files', { body: form, signal: controller.signal });
		await expect(sent).rejects.toThrow();
		await eventually('the record is deleted', async () => {
			return Object.keys((await contents(stores)).states).length === 0;
		});
	});
});

describe('an expiring file', () => {
	it('exists until its expiry and not after, whatever the sweep does', async () => {
		const h = await harness();
		const { id, expires_at = 0 } = await h.stored(expiry);
		const left = expires_at * 1_000 - h.clock.now();
		h.clock.jump(left - 1);
		expect((await h.get(`/v1/files/${id}`)).status).toBe(200);
		expect(await h.source.open('alice', id)).not.toBeNull();
		h.clock.jump(1);
		for (const path of ['', '/content']) {
			const answer = await h.get(`/v1/files/${id}${path}`);
			expect(await errorOf(answer)).toMatchObject({ status: 404, code: 'file_not_found' });
		}
		expect((await h.send('DELETE', `/v1/files/${id}`)).status).toBe(404);
		expect((await h.json<Page>('/v1/files')).data).toEqual([]);
		expect(await h.source.open('alice', id)).toBeNull();
		expect((await contents(h.stores)).blobs).toHaveLength(1);
	});

	it('is deleted by the next sweep; other files stay', async () => {
		const h = await harness();
		await h.stored(expiry, 'bob');
		await h.stored(expiry);
		const { id } = await h.stored();
		await h.clock.advance(hour + sweepMs);
		await eventually('the sweep has looked', async () => {
			const { states, blobs } = await contents(h.stores);
			return Object.keys(states).length === 1 && blobs.length === 1;
		});
		expect((await contents(h.stores)).states).toEqual({ [id]: 'ready' });
	});
});

describe('the sweep', () => {
	it('does not affect an upload in progress', async () => {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		const open = Promise.withResolvers<void>();
		const put: BlobStore['put'] = async (...args) => {
			await open.promise;
			return stores.blobs.put(...args);
		};
		const slow = await harness({
			clock,
			stores: { ...stores, blobs: changed(stores.blobs, { put }) },
		});
		const sent = slow.upload();
		await eventually('it arrives', async () => Object.keys((await contents(stores)).states).length === 1);
		// A server sweeps when it starts.
		await harness({ clock, stores });
		clock.jump(uploadTimeoutMs - sweepMs - 1);
		await clock.advance(sweepMs);
		open.resolve();
		expect((await sent).status).toBe(200);
	});

	it('removes an abandoned upload, even if its bytes arrive later', async () => {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		const open = Promise.withResolvers<void>();
		const put: BlobStore['put'] = async (...args) => {
			await open.promise;
			return stores.blobs.put(args[0], args[1], { contentType: args[2].contentType });
		};
		const slow = await harness({
			clock,
			stores: { ...stores, blobs: changed(stores.blobs, { put }) },
		});
		const sent = slow.upload();
		await eventually('it arrives', async () => Object.keys((await contents(stores)).states).length === 1);
		clock.jump(uploadTimeoutMs);
		await clock.advance(sweepMs);
		await eventually('it is given up', async () => Object.keys((await contents(stores)).states).length === 0);
		open.resolve();
		expect((await sent).status).toBe(503);
		expect(await contents(stores)).toEqual({ states: {}, blobs: [] });
	});

	it('continues after a file that cannot be deleted, and retries that one later', async () => {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		let stuck = '';
		const blobs = changed(stores.blobs, {
			delete: (keys) => (keys.includes(stuck) ? Promise.reject(new Error('stuck')) : stores.blobs.delete(keys)),
		});
		const h = await harness({ clock, stores: { ...stores, blobs } });
		await h.stored(expiry);
		const { id } = await h.stored(expiry);
		await h.stored(expiry);
		stuck = `files/${id}`;
		await clock.advance(hour + sweepMs);
		await eventually('the others are deleted', async () => (await contents(stores)).blobs.length === 1);
		expect((await contents(stores)).states).toEqual({ [id]: 'deleting' });
		stuck = '';
		await clock.advance(sweepMs);
		await eventually('all are deleted', async () => (await contents(stores)).blobs.length === 0);
	});

	it('stops with the server', async () => {
		const h = await harness();
		await h.stored(expiry);
		await h.app.stop();
		await h.clock.advance(hour + 2 * sweepMs);
		expect((await contents(h.stores)).blobs).toHaveLength(1);
	});
});
