import type { BlobStore, EventBus, RecordStore } from '@plinth/core';
import { memoryBlobs, memoryEvents, memoryRecords } from '@plinth/memory';
import { blobStoreSuite, createBackend, eventBusSuite, manualClock, recordStoreSuite } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { type Sabotage, testSabotage } from './sabotage.ts';

const recordSuite = (spoil: (right: RecordStore) => RecordStore) =>
	recordStoreSuite({
		async create() {
			const clock = manualClock();
			const { provided, stop } = await createBackend<RecordStore>(memoryRecords(), { clock });
			return { store: spoil(provided), clock, close: stop };
		},
	});

const wrongRecords: Sabotage<RecordStore>[] = [
	[
		'a load that makes records new',
		(right) => ({ load: (records) => right.load(records.map((record) => ({ ...record, version: 1 }))) }),
		'a dump has the records of all tenants with version, time and index, and fills an empty store',
	],
	[
		'a load that passes over what is there',
		(right) => ({ load: (records) => right.load(records).catch(() => {}) }),
		'loading records again changes nothing, and one in another form is refused whole',
	],
	[
		'a load that is not one transaction',
		(right) => ({
			async load(records) {
				for (const record of records) await right.load([record]);
			},
		}),
		'loading records again changes nothing, and one in another form is refused whole',
	],
	[
		'a dump of one page',
		(right) => ({
			async *dump() {
				let given = 0;
				for await (const record of right.dump()) if (given++ < 200) yield record;
			},
		}),
		'a dump has every record once, however many there are',
	],
	[
		'a get that ignores the tenant',
		(right) => ({ get: (ref, id) => right.get({ ...ref, tenant: 'acme' }, id) }),
		"get does not reach another tenant's records",
	],
	[
		'a delete that ignores the tenant',
		(right) => ({ delete: (ref, id) => right.delete({ ...ref, tenant: 'acme' }, id) }),
		"delete does not reach another tenant's records",
	],
	[
		'collections that are one',
		(right) => ({ get: (ref, id) => right.get({ ...ref, collection: 'core.keys' }, id) }),
		'collections of one tenant are separate',
	],
	[
		'ifVersion that is ignored',
		(right) => ({ put: (ref, id, value) => right.put(ref, id, value) }),
		'ifVersion refuses another version',
	],
	[
		'ifVersion that races',
		(right) => ({
			async put(ref, id, value, { ifVersion, ...options } = {}) {
				const current = (await right.get(ref, id))?.version ?? 0;
				if (ifVersion !== undefined && ifVersion !== current) return null;
				await new Promise((resolve) => setImmediate(resolve));
				return right.put(ref, id, value, options);
			},
		}),
		'of twenty conditional puts at once exactly one wins',
	],
	[
		'an index that stays',
		(right) => {
			const indexes = new Map<string, string>();
			return {
				put(ref, id, value, options = {}) {
					const index = options.index ?? indexes.get(id);
					if (index !== undefined) indexes.set(id, index);
					return right.put(ref, id, value, index === undefined ? options : { ...options, index });
				},
			};
		},
		'a put without index removes the record from its index',
	],
	[
		'an index that is ignored',
		(right) => ({ list: (ref, { index: _index, ...options }) => right.list(ref, options) }),
		'a list by index holds the records with that index only',
	],
];

const blobSuite = (spoil: (right: BlobStore) => BlobStore) =>
	blobStoreSuite({
		async create() {
			const { provided, stop } = await createBackend<BlobStore>(memoryBlobs());
			return { store: spoil(provided), close: stop };
		},
	});

const wrongBlobs: Sabotage<BlobStore>[] = [
	[
		'a body that can be read after its return',
		(right) => ({
			async get(key, options) {
				const content = await right.get(key, options);
				if (!content) return null;
				const inner = content.body[Symbol.asyncIterator]();
				const iterator = {
					next: () => inner.next(),
					return: async () => ({ done: true as const, value: undefined }),
				};
				return { ...content, body: { [Symbol.asyncIterator]: () => iterator } };
			},
		}),
		'a body that is returned before its first read leaves no file open, and the blob can be deleted',
	],
	[
		'maxBytes that is ignored',
		(right) => ({
			put: (key, body, { maxBytes: _maxBytes, ...options }) => right.put(key, body, options),
		}),
		'one byte more than maxBytes is refused and stores nothing',
	],
	[
		'maxBytes that counts once all has been read',
		(right) => ({
			async put(key, body, options) {
				if (body instanceof Uint8Array) return right.put(key, body, options);
				const chunks: Uint8Array[] = [];
				for await (const chunk of body) chunks.push(chunk);
				return right.put(key, Buffer.concat(chunks), options);
			},
		}),
		'a put over maxBytes closes its stream',
	],
	[
		'a signal that is ignored',
		(right) => ({
			put: (key, body, { signal: _signal, ...options }) => right.put(key, body, options),
		}),
		'an aborted put rejects and stores nothing',
	],
	[
		'half a blob after a failure',
		(right) => ({
			async put(key, body, options) {
				if (body instanceof Uint8Array) return right.put(key, body, options);
				for await (const chunk of body) await right.put(key, chunk, options);
				return right.put(key, new Uint8Array(), options);
			},
		}),
		'a stream that fails rejects the put with its error and stores nothing',
	],
	[
		'a range that leaves its last byte out',
		(right) => ({
			get: (key, { range } = {}) =>
				right.get(key, range && { range: { ...range, end: Math.max(range.start, range.end - 1) } }),
		}),
		'a range may be a window in the middle',
	],
	[
		'a range that is cut to fit',
		(right) => ({
			get: (key, { range } = {}) => right.get(key, range && { range: { start: Math.min(range.start, 10), end: 10 } }),
		}),
		'a range over the end is not satisfiable',
	],
	[
		'a prefix that ends anywhere',
		(right) => ({
			async *list(prefix) {
				for await (const info of right.list('')) if (info.key.startsWith(prefix)) yield info;
			},
		}),
		'a prefix ends at the end of a segment',
	],
	[
		'a list that counts more than the bytes',
		(right) => ({
			async *list(prefix) {
				for await (const { key, size } of right.list(prefix)) yield { key, size: size + 1_024 };
			},
		}),
		'list returns the sizes of small, large and empty blobs',
	],
	[
		'a list that opens every blob',
		(right) => ({
			async *list(prefix) {
				for await (const info of right.list(prefix)) yield (await right.head(info.key)) ?? info;
			},
		}),
		'list returns the keys under a prefix, and their sizes',
	],
	[
		'keys that are not checked',
		() => ({ get: async () => null, head: async () => null, delete: async () => {} }),
		'the key "../a" throws in every method',
	],
	[
		'an open reader that follows its key',
		(right) => ({
			async get(key, options) {
				const content = await right.get(key, options);
				if (!content) return null;
				async function* late() {
					const now = await right.get(key, options);
					if (now) yield* now.body;
				}
				return { ...content, body: late() };
			},
		}),
		'an open reader never reads the bytes of a later blob',
	],
	[
		'a wrong digest',
		(right) => ({
			put: async (...args) => ({ ...(await right.put(...args)), sha256: '0'.repeat(64) }),
		}),
		'put returns size, type and digest',
	],
	[
		'a tag that is the same for all bytes',
		(right) => ({
			async head(key) {
				const info = await right.head(key);
				return info && { ...info, etag: '1' };
			},
		}),
		'other bytes have another tag',
	],
	[
		'a delete that sees one key only',
		(right) => ({ delete: (keys) => right.delete(keys.slice(0, 1)) }),
		'one delete removes many blobs and ignores absent ones',
	],
	[
		'a size that is not looked at',
		(right) => ({ put: (key, body, { size: _, ...options }) => right.put(key, body, options) }),
		'eleven bytes with the given size 10 are refused, and nothing is stored',
	],
	[
		'a sweep that takes what is stored',
		(right) => ({
			async sweep() {
				for await (const { key } of right.list('')) await right.delete([key]);
			},
		}),
		'a sweep, if there is one, removes neither blobs nor the files of unfinished puts',
	],
	[
		'a presign that was not announced',
		() => ({ presign: async () => 'https://blobs.invalid/' }),
		'a store that is not configured for presigned URLs has no presign',
	],
];

const busSuite = (spoil: (right: EventBus) => EventBus) =>
	eventBusSuite({
		async create() {
			const { provided, stop } = await createBackend<EventBus>(memoryEvents());
			return { bus: spoil(provided), close: stop };
		},
	});

const wrongBuses: Sabotage<EventBus>[] = [
	[
		'a filter that is ignored',
		(right) => ({ subscribe: (_filter, handler) => right.subscribe({}, handler) }),
		'a filter by tenant lets through what equals it and nothing else',
	],
	[
		'a filter of which one member is enough',
		(right) => ({
			subscribe: ({ type }, handler) => right.subscribe(type ? { type } : {}, handler),
		}),
		'all members of a filter must match',
	],
	[
		'a subscription that does not end',
		(right) => ({
			subscribe: (filter, handler) => {
				right.subscribe(filter, handler);
				return () => {};
			},
		}),
		'a subscription that was ended receives nothing more',
	],
	[
		'a second end that ends the newest subscription',
		(right) => {
			const ends: (() => void)[] = [];
			return {
				subscribe: (filter, handler) => {
					const end = right.subscribe(filter, handler);
					ends.push(end);
					return () => void ends.splice(ends.indexOf(end), 1)[0]?.();
				},
			};
		},
		'ending a subscription twice is harmless',
	],
	[
		'a publisher that calls its subscribers itself',
		() => {
			const handlers: Parameters<EventBus['subscribe']>[1][] = [];
			return {
				publish: (event) => {
					for (const handle of handlers) handle(event);
				},
				subscribe: (_filter, handler) => {
					handlers.push(handler);
					return () => {};
				},
			};
		},
		'publish does not wait for subscribers',
	],
	[
		'history for late subscribers',
		(right) => {
			const past: Parameters<EventBus['publish']>[0][] = [];
			return {
				publish: (event) => {
					past.push(event);
					right.publish(event);
				},
				subscribe: (filter, handler) => {
					past.forEach(handler);
					return right.subscribe(filter, handler);
				},
			};
		},
		'a subscriber receives no events from before its subscription',
	],
];

describe('recordStoreSuite', () => testSabotage(wrongRecords, recordSuite));
describe('blobStoreSuite', () => testSabotage(wrongBlobs, blobSuite));
describe('eventBusSuite', () => testSabotage(wrongBuses, busSuite));

test('every suite names every case once', () => {
	const names = [...recordSuite((right) => right), ...blobSuite((right) => right), ...busSuite((right) => right)].map(
		({ name }) => name,
	);
	const repeated = names.filter((name, index) => names.indexOf(name) !== index);
	expect(repeated).toEqual(['a store that keeps nothing after its close has no reopen']);
});
