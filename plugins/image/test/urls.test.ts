import type { BlobStore, RecordStore } from '@plinth/core';
import { errorOf, eventually } from '@plinth/testing';
import { signingKey } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { sweepMs } from '../src/links/sweep.ts';
import { answerOf, type HarnessOptions, harness, solid } from './harness.ts';
import { decode } from './pictures.ts';

const minute = 60_000;

async function withUrl(options: HarnessOptions = {}, fields: object = {}) {
	const h = await harness(options);
	const answer = await answerOf(await h.generations({ response_format: 'url', ...fields }));
	return { h, answer, url: String(answer.data[0]?.url) };
}

async function keysIn(blobs: BlobStore): Promise<string[]> {
	const keys: string[] = [];
	for await (const { key } of blobs.list('images/')) keys.push(key);
	return keys;
}

/** Wraps a store and replaces some of its methods. */
function changed(part: (store: BlobStore) => Partial<BlobStore>): NonNullable<HarnessOptions['blobs']> {
	return (store) => {
		const replaced = part(store);
		return new Proxy(store, {
			get(target, name) {
				const own = Object.hasOwn(replaced, name) ? replaced : target;
				const value: unknown = Reflect.get(own, name, own);
				return typeof value === 'function' ? value.bind(own) : value;
			},
		});
	};
}

describe('response_format url', () => {
	it('returns a URL that serves the picture without a key', async () => {
		const { h, url, answer } = await withUrl({}, { output_format: 'webp' });
		expect(url).toMatch(
			/^http:\/\/pictures\.test\/v1\/images\/results\/[0-9a-f]{12}-[0-9a-f]{32}\.webp\?signature=[0-9a-f]{64}$/,
		);
		expect(answer.data).toEqual([{ url }]);
		const response = await h.get(url, { key: null });
		expect(response.status).toBe(200);
		expect(Object.fromEntries(response.headers)).toMatchObject({
			'content-type': 'image/webp',
			'cache-control': 'private, max-age=3600',
			'cross-origin-resource-policy': 'cross-origin',
			'accept-ranges': 'bytes',
			'last-modified': new Date(h.clock.now()).toUTCString(),
			etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
		});
		expect(decode(new Uint8Array(await response.arrayBuffer()))).toMatchObject({ format: 'webp' });
	});

	it('supports ranges and conditional requests', async () => {
		const { h, url } = await withUrl({}, { output_format: 'jpeg' });
		expect(url).toContain('.jpg?');
		const part = await h.get(url, { key: null, headers: { range: 'bytes=0-2' } });
		expect([part.status, part.headers.get('content-type')]).toEqual([206, 'image/jpeg']);
		expect(Buffer.from(await part.arrayBuffer())).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
		const etag = String((await h.get(url, { key: null })).headers.get('etag'));
		expect((await h.get(url, { key: null, headers: { 'if-none-match': etag } })).status).toBe(304);
	});

	it('has a different URL for each picture', async () => {
		const { answer } = await withUrl({}, { n: 3 });
		expect(new Set(answer.data.map(({ url }) => url)).size).toBe(3);
	});

	it('is served until its expiry, and not after', async () => {
		const { h, url } = await withUrl({ options: { urlMinutes: 2 } });
		h.clock.jump(2 * minute - 1_000);
		const last = await h.get(url, { key: null });
		expect([last.status, last.headers.get('cache-control')]).toEqual([200, 'private, max-age=1']);
		h.clock.jump(1_000);
		expect(await errorOf(await h.get(url, { key: null }))).toMatchObject({
			status: 404,
			code: 'image_expired',
		});
	});

	it('responds alike to all invalid URLs, whether the picture exists or not', async () => {
		const { h, url } = await withUrl();
		const { origin, pathname, searchParams } = new URL(url);
		const signature = String(searchParams.get('signature'));
		const forged = signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
		const [other] = (await answerOf(await h.generations({ response_format: 'url' }))).data;
		const elsewhere = new URL(String(other?.url)).searchParams.get('signature');
		const addresses = [
			pathname,
			`${pathname}?signature=`,
			`${pathname}?signature=${forged}`,
			`${pathname}?signature=${elsewhere}`,
			`${pathname}?signature=${signature.toUpperCase()}`,
			`${pathname}?signature=${signature}&signature=${signature}`,
			`${pathname.replace('.png', '.jpg')}?signature=${signature}`,
			`${pathname.replace('results/0', 'results/1')}?signature=${signature}`,
			`/v1/images/results/..%2Fsecret?signature=${signature}`,
			`/v1/images/results/x?signature=${signature}`,
		];
		const answers = await Promise.all(
			addresses.map(async (address) => errorOf(await h.get(`${origin}${address}`, { key: null }))),
		);
		for (const answer of answers) expect(answer).toEqual(answers[0]);
		expect(answers[0]).toMatchObject({ status: 404, code: 'image_not_found' });
	});

	it('responds the same when the store has lost the picture', async () => {
		const { h, url } = await withUrl();
		for (const key of await keysIn(h.blobs)) await h.blobs.delete([key]);
		expect(await errorOf(await h.get(url, { key: null }))).toMatchObject({
			code: 'image_not_found',
		});
	});

	it('uses the URLs of a store that presigns', async () => {
		const presign = async (key: string, ttlMs: number) => `https://store.test/${key}?${ttlMs}`;
		const { url } = await withUrl({ blobs: changed(() => ({ presign })) });
		expect(url).toMatch(/^https:\/\/store\.test\/images\/[0-9a-f]{12}-[0-9a-f]{32}\.png\?3600000$/);
	});

	it('leaves no picture behind when the request fails', async () => {
		let puts = 0;
		const failing = changed((store) => ({
			put: (...args: Parameters<BlobStore['put']>) =>
				++puts === 3 ? Promise.reject(new Error('full')) : store.put(...args),
		}));
		const h = await harness({ blobs: failing });
		expect((await h.generations({ n: 3, response_format: 'url' })).status).toBe(500);
		expect(puts).toBe(3);
		expect(await keysIn(h.blobs)).toEqual([]);
	});
});

describe('the key of the signatures', () => {
	it('is created once, also by two servers at the same time', async () => {
		const h = await harness();
		const servers = Array.from({ length: 5 }, () => signingKey(h.records, 'image.secrets'));
		const keys = await Promise.all(servers.map((key) => key()));
		expect(keys[0]).toHaveLength(32);
		for (const key of keys) expect(key).toEqual(keys[0]);
	});

	it('is read again after a failure of the store', async () => {
		const h = await harness();
		let isAway = true;
		const away: RecordStore = {
			...h.records,
			get: async (ref, id) => {
				if (isAway) throw new Error('away');
				return h.records.get(ref, id);
			},
			put: (...args) => h.records.put(...args),
		};
		const key = signingKey(away, 'image.secrets');
		await expect(key()).rejects.toThrow('away');
		isAway = false;
		expect(await key()).toHaveLength(32);
	});
});

describe('the sweep', () => {
	it('deletes expired pictures every five minutes, and nothing else', async () => {
		const { h } = await withUrl({ options: { urlMinutes: 4 } });
		await h.blobs.put('images/a-file-of-somebody-else', new Uint8Array(1), {
			contentType: 'image/png',
		});
		await h.clock.advance(sweepMs - 1);
		expect(await keysIn(h.blobs)).toHaveLength(2);
		await answerOf(await h.generations({ response_format: 'url' }));
		await h.clock.advance(1);
		await eventually('one picture is deleted', async () => (await keysIn(h.blobs)).length === 2);
		await h.clock.advance(sweepMs);
		await eventually('the other too', async () => (await keysIn(h.blobs)).length === 1);
		expect(await keysIn(h.blobs)).toEqual(['images/a-file-of-somebody-else']);
	});

	it('continues after a failure of the store', async () => {
		let failures = 1;
		const failing = changed((store) => ({
			list(prefix: string) {
				if (failures-- > 0) throw new Error('away');
				return store.list(prefix);
			},
		}));
		const h = await harness({ options: { urlMinutes: 1 }, blobs: failing });
		await answerOf(await h.generations({ response_format: 'url' }));
		await h.clock.advance(sweepMs);
		await eventually('it is deleted', async () => (await keysIn(h.blobs)).length === 0);
	});

	it('skips pictures that cannot be deleted', async () => {
		let stuck: string | undefined;
		const failing = changed((store) => ({
			async delete(keys: readonly string[]) {
				stuck ??= keys[0];
				await store.delete(keys.filter((key) => key !== stuck));
				throw new Error('not permitted');
			},
		}));
		const { h } = await withUrl({ options: { urlMinutes: 1 }, blobs: failing }, { n: 3 });
		await h.clock.advance(sweepMs);
		await eventually('the others are deleted', async () => (await keysIn(h.blobs)).length === 1);
		expect(await keysIn(h.blobs)).toEqual([stuck]);
	});

	it('stops with the server', async () => {
		let lists = 0;
		const counting = changed((store) => ({
			list(prefix: string) {
				lists += 1;
				return store.list(prefix);
			},
		}));
		const h = await harness({ blobs: counting });
		await h.generations();
		await h.app.stop();
		const before = lists;
		await h.clock.advance(3 * sweepMs);
		expect([before, lists]).toEqual([1, 1]);
	});
});

it('a picture of an abandoned stream expires with the others', async () => {
	const h = await harness();
	h.model.generate = async (request, { seed }) =>
		seed === 1 ? { images: [solid(request, seed)] } : new Promise(() => {});
	const fields = { n: 2, seed: 1, stream: true, response_format: 'url' };
	const response = await h.generations(fields);
	await response.body?.cancel();
	await h.clock.advance(60 * minute + sweepMs);
	await eventually('it is deleted', async () => (await keysIn(h.blobs)).length === 0);
});
