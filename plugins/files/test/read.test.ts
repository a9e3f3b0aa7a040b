import type { RecordStore } from '@plinth/core';
import { errorOf, manualClock } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { changed, contents, type Harness, harness, memoryStores, type Page } from './harness.ts';

const unknown = `file-${'0'.repeat(44)}`;

/** Uploads files one after the other, and returns their ids, oldest first. */
async function several(h: Harness, count: number, purposes = ['user_data']): Promise<string[]> {
	const ids: string[] = [];
	for (let i = 0; i < count; i++) {
		const purpose = purposes[i % purposes.length] ?? 'user_data';
		ids.push((await h.stored({ purpose })).id);
		// Some in the same millisecond.
		if (i % 2 === 1) await h.clock.advance(1_500);
	}
	return ids;
}

/** Reads all pages of a list. */
async function pages(h: Harness, query: string): Promise<string[][]> {
	const found: string[][] = [];
	for (let after = ''; ; ) {
		const page = await h.json<Page>(`/v1/files?${query}${after}`);
		const ids = page.data.map(({ id }) => id);
		expect([page.first_id, page.last_id]).toEqual([ids.at(0) ?? null, ids.at(-1) ?? null]);
		found.push(ids);
		if (!page.has_more) return found;
		after = `&after=${page.last_id}`;
	}
}

describe('GET /v1/files/{id}', () => {
	it('returns the same object as the upload', async () => {
		const h = await harness();
		const file = await h.stored();
		expect(await h.json(`/v1/files/${file.id}`)).toEqual(file);
	});
});

describe('GET /v1/files', () => {
	it('is an empty list without files', async () => {
		expect(await (await harness()).json('/v1/files')).toEqual({
			object: 'list',
			data: [],
			first_id: null,
			last_id: null,
			has_more: false,
		});
	});

	it('has the newest first, as whole objects, and all of them by default', async () => {
		const h = await harness();
		const ids = await several(h, 3);
		const page = await h.json<Page>('/v1/files');
		expect(page.data.map(({ id }) => id)).toEqual(ids.toReversed());
		expect(page.data[0]).toEqual(await h.json(`/v1/files/${ids[2]}`));
		expect(page.has_more).toBe(false);
	});

	it.each([1, 2, 3, 5, 6])('pages in both directions, %i at a time', async (limit) => {
		const h = await harness();
		const ids = await several(h, 5);
		const split = (list: string[]) =>
			Array.from({ length: Math.ceil(5 / limit) }, (_, i) => list.slice(i * limit, (i + 1) * limit));
		expect(await pages(h, `limit=${limit}`)).toEqual(split(ids.toReversed()));
		expect(await pages(h, `limit=${limit}&order=desc`)).toEqual(split(ids.toReversed()));
		expect(await pages(h, `limit=${limit}&order=asc`)).toEqual(split(ids));
	});

	it('accepts the cursor of a deleted file', async () => {
		const h = await harness();
		const ids = await several(h, 4);
		await h.send('DELETE', `/v1/files/${ids[1]}`);
		const behind = async (order: string) =>
			(await h.json<Page>(`/v1/files?order=${order}&after=${ids[1]}`)).data.map(({ id }) => id);
		expect(await behind('asc')).toEqual([ids[2], ids[3]]);
		expect(await behind('desc')).toEqual([ids[0]]);
	});

	it('filters by purpose, page by page', async () => {
		const h = await harness();
		const ids = await several(h, 7, ['user_data', 'vision', 'batch']);
		const vision = [ids[1], ids[4]];
		expect(await pages(h, 'purpose=vision&limit=1&order=asc')).toEqual(vision.map((id) => [id]));
		expect(await pages(h, 'purpose=vision')).toEqual([vision.toReversed()]);
		expect(await pages(h, 'purpose=batch_output')).toEqual([[]]);
	});

	it('has at most a thousand files on a page, and continues after them', async () => {
		const h = await harness();
		// Directly into the store: a thousand uploads would be slow.
		const { id, created_at } = await h.stored();
		const ref = { tenant: 'system', collection: 'files.files' };
		const { value } = (await h.stores.records.get(ref, id)) ?? {};
		for (let i = 1; i <= 1_200; i++) {
			const other = `file-${i.toString(16).padStart(44, '0')}`;
			await h.stores.records.put(ref, other, value ?? {}, { index: 'alice' });
		}
		for (const order of ['asc', 'desc']) {
			const sizes = (await pages(h, `order=${order}&limit=10000`)).map((page) => page.length);
			expect(sizes).toEqual([1_000, 201]);
		}
		expect(created_at).toBeGreaterThan(0);
	});

	it('is read with few store calls when few files match the filter', async () => {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		let reads = 0;
		const list: RecordStore['list'] = (...args) => {
			reads += 1;
			return stores.records.list(...args);
		};
		const h = await harness({
			clock,
			stores: { ...stores, records: changed(stores.records, { list }) },
		});
		await several(h, 20);
		reads = 0;
		expect(await h.json('/v1/files?purpose=batch&limit=1')).toMatchObject({ data: [] });
		expect(reads).toBe(2);
	});

	it('accepts an empty after, which SDKs send for null', async () => {
		const h = await harness();
		await several(h, 2);
		const { data } = (await h.json('/v1/files?after=')) as { data: unknown[] };
		expect(data).toHaveLength(2);
	});

	it.each([
		['limit=0', 'limit', 'integer_below_min_value'],
		['limit=10001', 'limit', 'integer_above_max_value'],
		['limit=few', 'limit', 'invalid_type'],
		['order=up', 'order', 'invalid_value'],
		['after=x', 'after', 'invalid_value'],
	])('rejects %s', async (query, param, code) => {
		const answer = await (await harness()).get(`/v1/files?${query}`);
		expect(await errorOf(answer)).toMatchObject({ status: 400, param, code });
	});
});

describe('DELETE /v1/files/{id}', () => {
	it('deletes the record and the bytes, once', async () => {
		const h = await harness();
		const { id } = await h.stored();
		const answer = await h.send('DELETE', `/v1/files/${id}`);
		expect([answer.status, await answer.json()]).toEqual([200, { id, object: 'file', deleted: true }]);
		expect(await contents(h.stores)).toEqual({ states: {}, blobs: [] });
		const again = await h.send('DELETE', `/v1/files/${id}`);
		expect(await errorOf(again)).toMatchObject({ status: 404, code: 'file_not_found' });
	});

	it('succeeds for exactly one of several concurrent requests', async () => {
		const h = await harness();
		const { id } = await h.stored();
		const answers = await Promise.all(Array.from({ length: 5 }, () => h.send('DELETE', `/v1/files/${id}`)));
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
	});
});

describe('a file of another tenant', () => {
	const requests: [string, string][] = [
		['GET', ''],
		['GET', '/content'],
		['DELETE', ''],
	];

	it.each(requests)('is reported as not found: %s %s', async (method, path) => {
		const h = await harness();
		const { id } = await h.stored();
		const answers = [
			await h.send(method, `/v1/files/${id}${path}`, { key: 'bob' }),
			await h.send(method, `/v1/files/${unknown}${path}`, { key: 'bob' }),
			await h.send(method, `/v1/files/%00${path}`, { key: 'bob' }),
		];
		const [foreign, ...others] = await Promise.all(answers.map(errorOf));
		expect(foreign).toMatchObject({ status: 404, code: 'file_not_found', param: null });
		expect(others).toEqual([foreign, foreign]);
		expect((await h.get(`/v1/files/${id}`)).status).toBe(200);
	});

	it("is in no other tenant's list", async () => {
		const h = await harness();
		await h.stored();
		const { id } = await h.stored({}, 'bob');
		for (const order of ['asc', 'desc']) {
			const page = await h.json<Page>(`/v1/files?order=${order}`, 'bob');
			expect(page.data.map((file) => file.id)).toEqual([id]);
		}
	});
});

describe('the scope files:read', () => {
	it.each([
		['GET', '/v1/files'],
		['GET', `/v1/files/${unknown}`],
		['GET', `/v1/files/${unknown}/content`],
	])('is required for %s %s', async (method, path) => {
		const h = await harness();
		const answer = await h.send(method, path, { key: 'alice.files:write' });
		expect(await errorOf(answer)).toMatchObject({ status: 403 });
		expect((await h.send(method, path, { key: 'alice.files:read' })).status).not.toBe(403);
	});

	it('does not allow a deletion', async () => {
		const h = await harness();
		const answer = await h.send('DELETE', `/v1/files/${unknown}`, { key: 'alice.files:read' });
		expect(await errorOf(answer)).toMatchObject({ status: 403 });
	});
});
