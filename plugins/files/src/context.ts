import { type Clock, errorFrom } from '@plinth/core';
import { fileErrors } from './errors.ts';
import type { FileStore } from './file-store.ts';
import type { FileOptions } from './options.ts';
import type { StoredFile } from './record.ts';
import type { FileRecords } from './records.ts';

/** Dependencies of the routes. */
export interface FileContext {
	readonly options: FileOptions;
	readonly records: FileRecords;
	readonly store: FileStore;
	readonly clock: Clock;
}

/** Finds a file. Malformed, unknown, foreign, deleted and expired ids throw the same `E_FILE_NOT_FOUND`. */
export async function findFile({ store }: FileContext, tenant: string, id: string): Promise<StoredFile> {
	const file = await store.find(tenant, id);
	if (!file) throw errorFrom(fileErrors, 'E_FILE_NOT_FOUND');
	return file;
}
