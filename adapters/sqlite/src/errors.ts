import { defineErrors, errorFrom, type PlinthError, plinthError } from '@plinth/core';
import { type Failure, toFailure } from './engine/failures.ts';

/** The coded errors of this adapter. */
export const sqliteErrors = defineErrors({
	E_SQLITE_NEWER: {
		status: 503,
		type: 'server_error',
		code: 'storage_unavailable',
		message: 'The SQLite file was written by a newer version.',
		remedy: 'Update @plinth/sqlite, or restore a backup made before the update.',
	},
});

/** The error that a caller sees for a failed command. */
export function toError({ kind, message }: Failure, file: string): Error {
	const cause = new Error(message);
	if (kind === 'mismatch') return plinthError('E_IDEMPOTENCY_MISMATCH');
	if (kind === 'queue-full') return plinthError('E_QUEUE_FULL');
	if (kind === 'full') return plinthError('E_STORE_FULL', { cause });
	if (kind === 'unavailable') return unavailable(file, cause);
	if (kind === 'newer') {
		return errorFrom(sqliteErrors, 'E_SQLITE_NEWER', { message: `${file}: ${message}` });
	}
	return new Error(`SQLite refused a command on ${file}: ${message}`, { cause });
}

/** `E_STORE_UNAVAILABLE` for a file that cannot be reached at the moment. */
export function unavailable(file: string, cause: unknown): PlinthError {
	return plinthError('E_STORE_UNAVAILABLE', {
		message: `The SQLite file ${file} does not answer.`,
		cause,
	});
}

/** A caller passed a value, such as a function, that cannot be sent between threads. */
export function uncopyable(command: string, cause: unknown): TypeError {
	return new TypeError(`SQLite cannot store a value that was given to ${command}.`, { cause });
}

/** The error that a caller sees for a failed read. */
export function toReadError(error: unknown, file: string): Error {
	return toError(toFailure(error), file);
}
