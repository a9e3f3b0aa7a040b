import { type PlinthError, plinthError } from '@plinth/core';

const fullCodes = new Set(['ENOSPC', 'EDQUOT']);

/** Converts file system errors to `E_STORE_FULL` or `E_STORE_UNAVAILABLE`. Other errors are rethrown unchanged. */
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

/** `E_STORE_UNAVAILABLE` for a file that holds no complete blob. */
export function damaged(cause: unknown): PlinthError {
	return plinthError('E_STORE_UNAVAILABLE', { message: 'A blob file is damaged.', cause });
}
