import { errorFrom } from '@plinth/core';
import { fileErrors } from './errors.ts';
import type { FileOptions } from './options.ts';
import { isExpired } from './record.ts';
import type { FileRecords } from './records.ts';

/** What the files of a tenant take up, those that are being stored included. */
export interface Usage {
	readonly bytes: number;
	readonly files: number;
}

/**
 * Adds up the files of a tenant. Read from the records each time, so that no crash and no other server can make it wrong: a tenant with 10,000 files
 * pays with twenty reads of 500 records.
 */
export async function usageOf(records: FileRecords, tenant: string, now: number): Promise<Usage> {
	let bytes = 0;
	let files = 0;
	for await (const { value } of records.walk({ tenant })) {
		if (value.state === 'leaving' || isExpired(value, now)) continue;
		bytes += value.size;
		files += 1;
	}
	return { bytes, files };
}

/** Throws `E_FILE_QUOTA_EXCEEDED` when the files of a tenant take up more than they may, `wanted` included. */
export function refuseOverflow(
	usage: Usage,
	{ quotaBytes, maxFiles }: FileOptions,
	wanted: Usage = { bytes: 0, files: 0 },
): void {
	if (usage.files + wanted.files > maxFiles) {
		throw overflow(`There is room for ${maxFiles} files, and they are there.`);
	}
	if (quotaBytes > 0 && usage.bytes + wanted.bytes > quotaBytes) {
		throw overflow(`The files may have ${quotaBytes} bytes together; this one does not fit.`);
	}
}

function overflow(message: string): Error {
	return errorFrom(fileErrors, 'E_FILE_QUOTA_EXCEEDED', { message });
}
