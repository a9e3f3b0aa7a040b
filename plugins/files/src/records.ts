import { setImmediate } from 'node:timers/promises';
import type { RecordStore } from '@plinth/core';
import type { FileRecord, StoredFile } from './record.ts';

// One collection for all tenants, with the tenant as index: the sweep needs the files of all tenants.
const collection = { tenant: 'system', collection: 'files.files' };

/** Records per read. A store may read them on this thread: some milliseconds for a thousand. */
const batch = 500;

/** Which files to scan, from the newest to the oldest. */
export interface Walk {
	/** All tenants when absent. */
	readonly tenant?: string;
	/** The scan starts after this id, which need not exist. */
	readonly after?: string;
	/** Size of the first read, when it may be sufficient. */
	readonly first?: number;
}

/** The records of files. */
export class FileRecords {
	readonly #store: RecordStore;

	constructor(store: RecordStore) {
		this.#store = store;
	}

	/** A file of this tenant in any state; null for an unknown or foreign id. */
	async find(tenant: string, id: string): Promise<StoredFile | null> {
		const file = await this.#store.get<FileRecord>(collection, id);
		return file?.value.tenant === tenant ? file : null;
	}

	/** The files of the scan, in any state. */
	async *walk({ tenant, after, first = batch }: Walk): AsyncGenerator<StoredFile> {
		const index = tenant === undefined ? {} : { index: tenant };
		for (let last = after, limit = Math.min(first, batch); ; limit = batch) {
			const position = last === undefined ? {} : { after: last };
			const options = { ...index, ...position, limit };
			const { records, hasMore } = await this.#store.list<FileRecord>(collection, options);
			yield* records;
			if (!hasMore) return;
			last = records.at(-1)?.id;
			await setImmediate();
		}
	}

	/** Writes the record of a new file. */
	async add(id: string, value: FileRecord): Promise<StoredFile> {
		const file = await this.#put(id, value, 0);
		if (!file) throw new Error('The id of a new file already exists.');
		return file;
	}

	/** Changes the state of a file; null when its record has changed since it was read. */
	change({ id, value, version }: StoredFile, state: FileRecord['state']) {
		return this.#put(id, { ...value, state }, version);
	}

	async remove(id: string): Promise<void> {
		await this.#store.delete(collection, id);
	}

	async #put(id: string, value: FileRecord, ifVersion: number): Promise<StoredFile | null> {
		const index = value.tenant;
		const version = await this.#store.put(collection, id, value, { ifVersion, index });
		return version === null ? null : { id, value, version };
	}
}
