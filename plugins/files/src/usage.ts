import { errorFrom } from '@plinth/core';
import { fileErrors } from './errors.ts';
import type { FileOptions } from './options.ts';
import { isExpired } from './record.ts';
import type { FileRecords } from './records.ts';

/** Total size and number of a tenant's files, including uploads in progress. */
export interface Usage {
	readonly bytes: number;
	readonly files: number;
}

/**
 * Sums the files of a tenant. The sum is read from the records each time, so that neither a crash nor
 * another server can make it wrong: 10,000 files cost twenty reads of 500 records.
 */
export async function usageOf(records: FileRecords, tenant: string, now: number): Promise<Usage> {
	let bytes = 0;
	let files = 0;
	for await (const { value } of records.walk({ tenant })) {
		if (value.state === 'deleting' || isExpired(value, now)) continue;
		bytes += value.size;
		files += 1;
	}
	return { bytes, files };
}

/** Throws `E_FILE_QUOTA_EXCEEDED` when the files of a tenant, plus `added`, exceed the quota. */
export function checkQuota(
	usage: Usage,
	{ quotaBytes, maxFiles }: FileOptions,
	added: Usage = { bytes: 0, files: 0 },
): void {
	if (usage.files + added.files > maxFiles) {
		throw quotaError(`At most ${maxFiles} files are allowed, and all are in use.`);
	}
	if (quotaBytes > 0 && usage.bytes + added.bytes > quotaBytes) {
		throw quotaError(`At most ${quotaBytes} bytes are allowed in all; this file would exceed them.`);
	}
}

function quotaError(message: string): Error {
	return errorFrom(fileErrors, 'E_FILE_QUOTA_EXCEEDED', { message });
}
