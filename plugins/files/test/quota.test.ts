import type { BlobStore } from '@plinth/core';
import { errorOf, manualClock, type RequestOptions } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { bytes, changed, contents, type HarnessOptions, harness, memoryStores } from './harness.ts';

const refused = { status: 403, code: 'file_quota_exceeded', param: null };

describe('the quota of a tenant', () => {
	it('can be used to the last byte, and no further', async () => {
		const h = await harness({ options: { quotaBytes: 10 } });
		expect((await h.upload({ file: bytes('123456') })).status).toBe(200);
		const answer = await h.upload({ file: bytes('12345') });
		expect(answer.headers.get('x-should-retry')).toBe('false');
		expect(await errorOf(answer)).toMatchObject(refused);
		expect((await contents(h.stores)).blobs).toHaveLength(1);
		expect((await h.upload({ file: bytes('1234') })).status).toBe(200);
	});

	it('rejects an upload before its body has arrived when it is used up', async () => {
		const h = await harness({ options: { quotaBytes: 5 } });
		await h.stored();
		const answer = await h.send('POST', '/v1/files', {
			headers: { 'content-type': 'multipart/form-data; boundary=x' },
			// The body never ends.
			body: new ReadableStream(),
			duplex: 'half',
		} as RequestOptions);
		expect(await errorOf(answer)).toMatchObject(refused);
	});

	it('rejects an upload by its content-length alone when the file cannot fit', async () => {
		const h = await harness({ options: { quotaBytes: 5_000_000 } });
		const declared = (length: number) =>
			h.send('POST', '/v1/files', {
				headers: {
					'content-type': 'multipart/form-data; boundary=x',
					'content-length': String(length),
				},
				body: '--x--',
			});
		// A form may have 1,048,576 bytes besides its file.
		expect(await errorOf(await declared(6_048_577))).toMatchObject(refused);
		expect(await errorOf(await declared(6_048_576))).toMatchObject({ status: 400 });
	});

	it('limits the number of files', async () => {
		const h = await harness({ options: { maxFiles: 2 } });
		await h.stored();
		const { id } = await h.stored();
		expect(await errorOf(await h.upload())).toMatchObject(refused);
		await h.send('DELETE', `/v1/files/${id}`);
		expect((await h.upload()).status).toBe(200);
	});

	it('is separate for each tenant', async () => {
		const h = await harness({ options: { quotaBytes: 5, maxFiles: 1 } });
		await h.stored();
		expect((await h.upload({}, 'bob')).status).toBe(200);
	});

	it('has no limit in bytes when the config says 0', async () => {
		const h = await harness({ options: { quotaBytes: 0 } });
		expect((await h.upload()).status).toBe(200);
	});

	it('is free again when a file has expired, before the sweep has deleted it', async () => {
		const h = await harness({ options: { maxFiles: 1 } });
		await h.stored({ 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' });
		h.clock.jump(3_600_000);
		expect((await h.upload()).status).toBe(200);
	});
});

describe('concurrent uploads', () => {
	/** Servers on the same stores, where every upload waits for the others before its bytes are stored. */
	async function servers(count: number, options: HarnessOptions['options'] & object) {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		return Promise.all(Array.from({ length: count }, () => harness({ clock, stores, options })));
	}

	it('together never exceed the quota, also from several servers', async () => {
		const [one, other] = await servers(2, { quotaBytes: 50 });
		if (!one || !other) throw new Error('Two servers are expected.');
		const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).upload()));
		const stored = answers.filter(({ status }) => status === 200).length;
		expect(answers.filter(({ status }) => status === 403)).toHaveLength(20 - stored);
		expect(stored).toBeLessThanOrEqual(10);
		expect((await contents(one.stores)).blobs).toHaveLength(stored);
		for (let i = stored; i < 10; i++) expect((await one.upload()).status).toBe(200);
		expect(await errorOf(await other.upload())).toMatchObject(refused);
	});

	it('count while they are being stored', async () => {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		const waiting = Promise.withResolvers<void>();
		const open = Promise.withResolvers<void>();
		const put: BlobStore['put'] = async (...args) => {
			waiting.resolve();
			await open.promise;
			return stores.blobs.put(...args);
		};
		const blobs = changed(stores.blobs, { put });
		const h = await harness({ clock, stores: { ...stores, blobs }, options: { maxFiles: 1 } });
		const first = h.upload();
		await waiting.promise;
		expect(await h.json('/v1/files')).toMatchObject({ data: [] });
		expect(await errorOf(await h.upload())).toMatchObject(refused);
		open.resolve();
		expect((await first).status).toBe(200);
	});
});
