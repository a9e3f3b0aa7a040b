import { isThere, type StoredFile } from './record.ts';
import type { FileRecords } from './records.ts';

/** Which files a page holds. */
export interface PageWish {
	/** The page starts behind this id, which need not exist. */
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
 * One page of a tenant's files. The newest first is the order of the records, so that such a page costs one read of as many records, and more of 500
 * where some of these are not wanted; the oldest first is found by walking from the newest to where the page ends, for 10,000 files at most twenty
 * reads of 500 records.
 */
export function pageOf(
	records: FileRecords,
	tenant: string,
	wish: PageWish,
	now: number,
): Promise<FilePage> {
	const isWanted = ({ value }: StoredFile) =>
		isThere(value, now) && (wish.purpose === undefined || value.purpose === wish.purpose);
	return wish.order === 'desc'
		? newestFirst(records, tenant, wish, isWanted)
		: oldestFirst(records, tenant, wish, isWanted);
}

type Test = (file: StoredFile) => boolean;

async function newestFirst(
	records: FileRecords,
	tenant: string,
	{ after, limit }: PageWish,
	isWanted: Test,
): Promise<FilePage> {
	const files: StoredFile[] = [];
	const walk = { tenant, first: limit + 1, ...(after === undefined ? {} : { after }) };
	for await (const file of records.walk(walk)) {
		if (!isWanted(file)) continue;
		if (files.length === limit) return { files, hasMore: true };
		files.push(file);
	}
	return { files, hasMore: false };
}

async function oldestFirst(
	records: FileRecords,
	tenant: string,
	{ after, limit }: PageWish,
	isWanted: Test,
): Promise<FilePage> {
	// The last that the walk has passed, and one more, which tells whether more follow.
	const last: StoredFile[] = [];
	for await (const file of records.walk({ tenant })) {
		if (after !== undefined && file.id >= after) break;
		if (!isWanted(file)) continue;
		last.push(file);
		if (last.length > limit + 1) last.shift();
	}
	return { files: last.slice(-limit).reverse(), hasMore: last.length > limit };
}
