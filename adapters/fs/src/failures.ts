import { type PlinthError, plinthError } from '@plinth/core';

const fullCodes = new Set(['ENOSPC', 'EDQUOT']);

/** Names what went wrong with the file system: `E_STORE_FULL` or `E_STORE_UNAVAILABLE`. Errors of other origin stay as they are. */
export async function withStoreErrors<T>(operation: Promise<T>): Promise<T> {
	try {
		return await operation;
	} catch (error) {
		const code = (error as NodeJS.ErrnoException | null)?.code;
		if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) throw error;
		throw plinthError(fullCodes.has(code) ? 'E_STORE_FULL' : 'E_STORE_UNAVAILABLE', {
			cause: error,
		});
	}
}

/** `E_STORE_UNAVAILABLE` for a file that is there and does not hold a whole blob. */
export function damaged(cause: unknown): PlinthError {
	return plinthError('E_STORE_UNAVAILABLE', { message: 'A blob file is damaged.', cause });
}
