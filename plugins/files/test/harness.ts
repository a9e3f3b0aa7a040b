import {
	type App,
	type Authenticator,
	type BlobStore,
	createApp,
	defineBackend,
	type RecordStore,
	services,
} from '@plinth/core';
import { memoryBlobs, memoryRecords } from '@plinth/memory';
import { type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import { type FileSource, mediaServices } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { files } from '../src/index.ts';
import type { FileRecord } from '../src/record.ts';
import type { WireFile } from '../src/wire.ts';

/** Stores that outlive the servers on them. */
export interface Stores {
	readonly records: RecordStore;
	readonly blobs: BlobStore;
}

/** What a test decides. */
export interface HarnessOptions {
	readonly options?: Parameters<typeof files>[0];
	/** Fresh ones unless set. */
	readonly stores?: Stores;
	readonly clock?: ManualClock;
}

/** What the tests turn and read. */
export interface Harness {
	readonly app: App;
	readonly clock: ManualClock;
	readonly stores: Stores;
	readonly source: FileSource;
	/** A request of a tenant, `alice` unless set. */
	send(path: string, init?: RequestInit, tenant?: string): Promise<Response>;
	/** Uploads a form. Values are appended in order; bytes become a file. */
	upload(fields?: FormFields, tenant?: string): Promise<Response>;
	/** Uploads and reads the answer. */
	stored(fields?: FormFields, tenant?: string): Promise<WireFile>;
	/** Reads the JSON of a GET. */
	json<T>(path: string, tenant?: string): Promise<T>;
}

/** The fields of a form. A file may have a name. */
export type FormFields = Readonly<Record<string, string | Uint8Array | File>>;

/** A page of the list. */
export interface Page {
	readonly object: string;
	readonly data: readonly WireFile[];
	readonly first_id: string | null;
	readonly last_id: string | null;
	readonly has_more: boolean;
}

/** Fresh stores in memory. */
export async function memoryStores(clock: ManualClock): Promise<Stores> {
	const surroundings = { services: { clock } } as never;
	return {
		records: (await memoryRecords().definition.create(surroundings)) as RecordStore,
		blobs: (await memoryBlobs().definition.create(surroundings)) as BlobStore,
	};
}

/** Boots the plugin, and stops it after the test. */
export async function harness(decided: HarnessOptions = {}): Promise<Harness> {
	const { clock = manualClock() } = decided;
	const { stores = await memoryStores(clock) } = decided;
	const app = await createApp(
		{
			server: { drainDelayMs: 0, graceMs: 50 },
			backends: {
				auth: fakeAuth(),
				blobs: provided(services.blobs, stores.blobs),
				records: provided(services.records, stores.records),
			},
			plugins: { files: files(decided.options) },
		},
		{ clock, log: silentLogger(), env: {} },
	);
	onTestFinished(() => app.stop());
	const send: Harness['send'] = (path, init = {}, tenant = 'alice') => {
		const headers = { 'x-api-key': tenant, ...(init.headers as Record<string, string>) };
		return app.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
	};
	const upload: Harness['upload'] = (fields = {}, tenant) => {
		const body = formOf({ purpose: 'user_data', file: bytes('hello'), ...fields });
		return send('/v1/files', { method: 'POST', body }, tenant);
	};
	return {
		app,
		clock,
		stores,
		source: app.service(mediaServices.files),
		send,
		upload,
		async stored(fields, tenant) {
			const answer = await upload(fields, tenant);
			if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
			return (await answer.json()) as WireFile;
		},
		json: async (path, tenant) => (await send(path, {}, tenant)).json() as never,
	};
}

/** The bytes of a text. */
export function bytes(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

function formOf(fields: FormFields): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) {
		if (value instanceof Uint8Array) form.append(name, new Blob([Uint8Array.from(value)]), 'a.bin');
		else form.append(name, value);
	}
	return form;
}

/** Status, code and param of an error answer, which has exactly the four keys of the wire. */
export async function errorOf(response: Response) {
	const text = await response.text();
	const { error } = JSON.parse(text) as { error?: Record<string, unknown> };
	const keys = Object.keys(error ?? {}).sort();
	if (keys.join() !== 'code,message,param,type') throw new Error(`no error object: ${text}`);
	const { code, param, message } = error ?? {};
	return { status: response.status, code, param, message: String(message) };
}

/** Everything in the stores: the states of the records by id, and the keys of the blobs. */
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

/** A store some of whose methods are others. */
export function changed<T extends object>(store: T, part: Partial<T>): T {
	return new Proxy(store, {
		get(target, name) {
			const own = Object.hasOwn(part, name) ? part : target;
			const value: unknown = Reflect.get(own, name, own);
			return typeof value === 'function' ? value.bind(own) : value;
		},
	});
}

/** Keys are tenants: `alice`, or `alice:files:read` with scopes. */
const fakeAuth = defineBackend({
	name: 'fakeAuth',
	provides: services.authenticator,
	config: z.strictObject({}),
	create: (): Authenticator => ({
		async authenticate(key) {
			const [tenant = '', ...scope] = key.split(':');
			return { id: key, tenant, scopes: scope.length > 0 ? [scope.join(':')] : ['*'] };
		},
	}),
});

function provided(
	provides: typeof services.blobs | typeof services.records,
	store: BlobStore | RecordStore,
) {
	const config = z.strictObject({});
	return defineBackend({ name: 'given', provides, config, create: () => store as never })();
}
