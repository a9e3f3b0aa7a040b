import { type BlobStore, type RecordStore, services } from '@plinth/core';
import { memoryBlobs, memoryRecords } from '@plinth/memory';
import {
	createBackend,
	type FormFields,
	fakeBackend,
	jsonOf,
	type ManualClock,
	manualClock,
	type TestApp,
	testApp,
} from '@plinth/testing';
import { type FileSource, mediaServices } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { files } from '../src/index.ts';
import type { FileRecord } from '../src/record.ts';
import type { WireFile } from '../src/wire.ts';

/** Stores that can be shared by several servers. */
export interface Stores {
	readonly records: RecordStore;
	readonly blobs: BlobStore;
}

/** Options of a test. */
export interface HarnessOptions {
	readonly options?: Parameters<typeof files>[0];
	/** New stores by default. */
	readonly stores?: Stores;
	readonly clock?: ManualClock;
}

/** The running app, its clock and its stores. */
export interface Harness extends TestApp {
	readonly stores: Stores;
	readonly source: FileSource;
	/** Uploads a form. */
	upload(fields?: FormFields, key?: string): Promise<Response>;
	/** Uploads a form and returns the body of the response. */
	stored(fields?: FormFields, key?: string): Promise<WireFile>;
	/** The JSON body of a GET. */
	json<T>(path: string, key?: string): Promise<T>;
}

/** A page of the list. */
export interface Page {
	readonly object: string;
	readonly data: readonly WireFile[];
	readonly first_id: string | null;
	readonly last_id: string | null;
	readonly has_more: boolean;
}

/** New stores in memory. */
export async function memoryStores(clock: ManualClock): Promise<Stores> {
	const { provided: records } = await createBackend<RecordStore>(memoryRecords(), { clock });
	const { provided: blobs } = await createBackend<BlobStore>(memoryBlobs(), { clock });
	return { records, blobs };
}

/** Starts an app with the plugin, and stops it after the test. */
export async function harness(decided: HarnessOptions = {}): Promise<Harness> {
	const { clock = manualClock() } = decided;
	const { stores = await memoryStores(clock) } = decided;
	const running = await testApp({
		clock,
		backends: {
			blobs: fakeBackend(services.blobs, stores.blobs),
			records: fakeBackend(services.records, stores.records),
		},
		plugins: { files: files(decided.options) },
		onTestFinished,
	});
	const good = { purpose: 'user_data', file: bytes('hello') };
	const upload: Harness['upload'] = (fields, key = 'alice') =>
		running.form('/v1/files', { ...good, ...fields }, { key });
	return {
		...running,
		stores,
		source: running.app.service(mediaServices.files),
		upload,
		stored: async (fields, key) => jsonOf<WireFile>(await upload(fields, key)),
		json: async (path, key = 'alice') => (await running.get(path, { key })).json() as never,
	};
}

/** The bytes of a text. */
export function bytes(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

/** The content of the stores: the states of the records by id, and the keys of the blobs. */
export async function contents({ records, blobs }: Stores) {
	const ref = { tenant: 'system', collection: 'files.files' };
	const page = await records.list<FileRecord>(ref, { limit: 1_000 });
	const keys: string[] = [];
	for await (const { key } of blobs.list('')) keys.push(key);
	return {
		states: Object.fromEntries(page.records.map(({ id, value }) => [id, value.state])),
		blobs: keys.sort(),
	};
}

/** A store with some methods replaced. */
export function changed<T extends object>(store: T, part: Partial<T>): T {
	return new Proxy(store, {
		get(target, name) {
			const own = Object.hasOwn(part, name) ? part : target;
			const value: unknown = Reflect.get(own, name, own);
			return typeof value === 'function' ? value.bind(own) : value;
		},
	});
}
