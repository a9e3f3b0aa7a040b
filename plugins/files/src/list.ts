import { isAvailable, type StoredFile } from './record.ts';
import type { FileRecords } from './records.ts';

/** Options of a page. */
export interface PageOptions {
	/** The page starts after this id, which need not exist. */
	readonly after: string | undefined;
	readonly limit: number;
	readonly order: 'asc' | 'desc';
	readonly purpose: string | undefined;
}

/** A page of files. */
export interface FilePage {
	readonly files: readonly StoredFile[];
	readonly hasMore: boolean;
}

/**
 * One page of a tenant's files. Newest first is the order of the records: such a page costs one read, and
 * more reads of 500 when records are filtered out. Oldest first scans from the newest to the start of the
 * page: for 10,000 files at most twenty reads of 500 records.
 */
export function pageOf(records: FileRecords, tenant: string, options: PageOptions, now: number): Promise<FilePage> {
	const matches = ({ value }: StoredFile) =>
		isAvailable(value, now) && (options.purpose === undefined || value.purpose === options.purpose);
	return options.order === 'desc'
		? newestFirst(records, tenant, options, matches)
		: oldestFirst(records, tenant, options, matches);
}

type Filter = (file: StoredFile) => boolean;

async function newestFirst(
	records: FileRecords,
	tenant: string,
	{ after, limit }: PageOptions,
	matches: Filter,
): Promise<FilePage> {
	const files: StoredFile[] = [];
	const walk = { tenant, first: limit + 1, ...(after === undefined ? {} : { after }) };
	for await (const file of records.walk(walk)) {
		if (!matches(file)) continue;
		if (files.length === limit) return { files, hasMore: true };
		files.push(file);
	}
	return { files, hasMore: false };
}

async function oldestFirst(
	records: FileRecords,
	tenant: string,
	{ after, limit }: PageOptions,
	matches: Filter,
): Promise<FilePage> {
	// The last files of the scan, and one more to know whether more follow.
	const last: StoredFile[] = [];
	for await (const file of records.walk({ tenant })) {
		if (after !== undefined && file.id >= after) break;
		if (!matches(file)) continue;
		last.push(file);
		if (last.length > limit + 1) last.shift();
	}
	return { files: last.slice(-limit).reverse(), hasMore: last.length > limit };
}
