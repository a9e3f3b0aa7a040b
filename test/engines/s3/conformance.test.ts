import { randomUUID } from 'node:crypto';
import { blobStoreSuite } from '@plinth/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { ownSwift, type SwiftServer } from '../support/swift.ts';
import { givenPlace, newBucket, type Place, storeAt } from './support.ts';

const given = givenPlace();
let server: SwiftServer;
let place: Place;

beforeAll(async () => {
	server = await ownSwift();
	place = await newBucket(server);
}, 60_000);
afterAll(() => server.remove());

function suite(at: () => Place, downloads: 'through' | 'redirect') {
	return blobStoreSuite({
		async create() {
			const prefix = randomUUID();
			const { store, stop } = await storeAt(at(), { prefix, downloads });
			const stops = [stop];
			return {
				store,
				async reopen() {
					const again = await storeAt(at(), { prefix, downloads });
					stops.push(again.stop);
					return again.store;
				},
				async close() {
					for (const each of stops) await each();
				},
			};
		},
		supports: { reopen: true, presign: downloads === 'redirect' },
	});
}

describe('the blobs of OpenStack Swift', () => {
	for (const { name, run } of suite(() => place, 'through')) test(name, { timeout: 60_000 }, run);
});

describe('the blobs of OpenStack Swift, with redirects', () => {
	const presigned = suite(() => place, 'redirect').filter(({ name }) => name.includes('presign'));
	for (const { name, run } of presigned) test(name, { timeout: 60_000 }, run);
});

if (given) {
	describe('the blobs of PLINTH_TEST_S3', () => {
		for (const { name, run } of suite(() => given, 'redirect')) test(name, { timeout: 60_000 }, run);
	});
}
