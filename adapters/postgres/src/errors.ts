import { defineErrors, errorFrom, isPlinthError, type PlinthError, plinthError } from '@plinth/core';
import { storageError } from '@plinth/toolkit';

/** The coded errors of this adapter. They keep a server from starting. */
export const postgresErrors = defineErrors({
	E_POSTGRES_ADDRESS: storageError('PostgreSQL does not answer.', 'Start it, or correct host and port in the URL.'),
	E_POSTGRES_LOGIN: storageError(
		'PostgreSQL refuses the login.',
		'Correct user and password in the URL, or pg_hba.conf.',
	),
	E_POSTGRES_DATABASE: storageError(
		'There is no such database.',
		'Create it with createdb, or correct its name in the URL.',
	),
	E_POSTGRES_TLS: storageError(
		'No encrypted connection to PostgreSQL can be made.',
		'Correct sslmode and sslrootcert in the URL, or the certificate of the server.',
	),
	E_POSTGRES_RIGHTS: storageError(
		'The PostgreSQL user lacks a right.',
		'Let it own the schema: CREATE SCHEMA plinth AUTHORIZATION <user>, with the name of the option `schema`.',
	),
	E_POSTGRES_VERSION: storageError('This PostgreSQL is too old.', 'Use PostgreSQL 15 or newer.'),
	E_POSTGRES_ENCODING: storageError('The database does not use UTF-8.', 'Create it with the encoding UTF8.'),
	E_POSTGRES_NEWER: storageError('The schema was changed by a newer version.', 'Update @plinth/postgres.'),
	E_POSTGRES_OLDER: storageError(
		'The schema is older than this version.',
		'Run `plinth migrate`, or remove `migrate: false`.',
	),
});

/** Why a statement failed, as far as callers distinguish it. */
export type FailureKind = 'retry' | 'connection' | 'timeout' | 'full' | 'other';

/** Deadlock, serialization failure: the transaction has done nothing and may be run again. */
const retried = new Set(['40P01', '40001']);

/** Connection lost or refused, server stopping or starting, no slot left, a standby, out of memory. */
const lost = /^(?:08...|57P0[1-5]|53300|53200|25006|28...|3D000|58000|XX00[01])$/;
const lockTimeout = '55P03';
const full = /^(?:53100|53000)$/;

/** Messages of `pg` and `pg-pool` that have no code. */
const connectionWords =
	/Connection terminated|Client has encountered|not queryable|Client was closed|Cannot use a pool/;
const timeoutWords = /timeout exceeded when trying to connect|Query read timeout|connection timeout|timeout expired/;

/** Classifies an error of `pg`, or a coded error with such a cause. */
export function failureKind(error: unknown): FailureKind {
	if (isPlinthError(error) && error.cause) return failureKind(error.cause);
	const { code = '', message = '' } = error as { code?: string; message?: string };
	if (retried.has(code)) return 'retry';
	if (full.test(code) || /No space left on device/.test(message)) return 'full';
	if (code === lockTimeout || code === '57014' || timeoutWords.test(message)) return 'timeout';
	if (lost.test(code) || /^E[A-Z_]+$/.test(code) || connectionWords.test(message)) return 'connection';
	return 'other';
}

/** The error that a caller sees for an error of `pg`. */
export function toError(error: unknown, address: string): Error {
	if (isPlinthError(error)) return error;
	const kind = failureKind(error);
	if (kind === 'full') return plinthError('E_STORE_FULL', { cause: error });
	if (kind === 'other') return new Error(`PostgreSQL refused a statement: ${messageOf(error)}`, { cause: error });
	return plinthError('E_STORE_UNAVAILABLE', { message: `PostgreSQL at ${address} does not answer.`, cause: error });
}

/** The error of a failed start, with a remedy. */
export function toBootError(error: unknown, address: string): Error {
	if (isPlinthError(error)) return error;
	const { code = '' } = error as { code?: string };
	const message = `${address}: ${messageOf(error)}`;
	const coded = (name: keyof typeof postgresErrors): PlinthError =>
		errorFrom(postgresErrors, name, { message, cause: error });
	if (
		/SSL|TLS|certificate|no encryption/i.test(message) ||
		/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_|UNABLE_)/.test(code)
	) {
		return coded('E_POSTGRES_TLS');
	}
	if (/^28/.test(code)) return coded('E_POSTGRES_LOGIN');
	if (code === '3D000') return coded('E_POSTGRES_DATABASE');
	if (code === '42501') return coded('E_POSTGRES_RIGHTS');
	const kind = failureKind(error);
	if (kind === 'full') return plinthError('E_STORE_FULL', { cause: error });
	return kind === 'other' ? new Error(message, { cause: error }) : coded('E_POSTGRES_ADDRESS');
}

/** Some errors of Node have no message, only an error for each address that was tried. */
function messageOf(error: unknown): string {
	const { message, errors } = error as Partial<AggregateError>;
	return message || errors?.map((inner) => messageOf(inner)).join(', ') || String(error);
}
