import type { Connection } from './connection.ts';
import { type Failure, toFailure } from './failures.ts';

/** A write: its name, and its input as plain data, which can be sent to the writer thread. */
export interface Command {
	readonly name: string;
	readonly input: unknown;
}

/** The result of a command. */
export type Outcome =
	| { readonly ok: true; readonly value: unknown }
	| { readonly ok: false; readonly failure: Failure };

/** Runs one command inside a transaction. */
export type Execute = (connection: Connection, command: Command) => unknown;

/**
 * Runs a group of commands as one durable transaction. An error undoes only its own command. When SQLite rolls back the
 * whole transaction (on a full disk), each command is retried alone, so that commands that free space succeed.
 */
export function runGroup(connection: Connection, commands: readonly Command[], execute: Execute): Outcome[] {
	try {
		return runTogether(connection, commands, execute);
	} catch (error) {
		const failure = toFailure(error);
		const isWorthSplitting = commands.length > 1 && failure.kind === 'full';
		return isWorthSplitting
			? commands.flatMap((command) => runGroup(connection, [command], execute))
			: commands.map(() => ({ ok: false, failure }));
	}
}

/**
 * With a savepoint, SQLite copies every page that the command changes. Commands seldom fail, so the group first runs
 * without savepoints. It runs again with savepoints when a command has failed after it had written.
 */
function runTogether(connection: Connection, commands: readonly Command[], execute: Execute): Outcome[] {
	try {
		return transact(connection, commands, (command) => runWithoutSavepoint(connection, command, execute));
	} catch (error) {
		if (!(error instanceof HalfWritten)) throw error;
		return transact(connection, commands, (command) => runInSavepoint(connection, command, execute));
	}
}

/** A command without a savepoint failed after its first write. */
class HalfWritten extends Error {}

function transact(connection: Connection, commands: readonly Command[], run: (command: Command) => Outcome): Outcome[] {
	try {
		connection.exec('BEGIN IMMEDIATE');
		const outcomes = commands.map(run);
		connection.exec('COMMIT');
		return outcomes;
	} catch (error) {
		if (connection.inTransaction) connection.exec('ROLLBACK');
		throw error;
	}
}

/** Throws {@link HalfWritten}, or the error of the command if SQLite has rolled back the transaction. */
function runWithoutSavepoint(connection: Connection, command: Command, execute: Execute): Outcome {
	const before = connection.changes;
	try {
		return { ok: true, value: execute(connection, command) };
	} catch (error) {
		if (!connection.inTransaction) throw error;
		if (connection.changes !== before) throw new HalfWritten();
		return { ok: false, failure: toFailure(error) };
	}
}

/** Throws only if SQLite has rolled back the transaction. */
function runInSavepoint(connection: Connection, command: Command, execute: Execute): Outcome {
	connection.exec('SAVEPOINT member');
	try {
		const value = execute(connection, command);
		connection.exec('RELEASE member');
		return { ok: true, value };
	} catch (error) {
		if (!connection.inTransaction) throw error;
		connection.exec('ROLLBACK TO member; RELEASE member');
		return { ok: false, failure: toFailure(error) };
	}
}
