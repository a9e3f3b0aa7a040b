import type { Connection } from './connection.ts';
import { type Failure, toFailure } from './failures.ts';

/** A write, named and with plain data for its input, so that it can cross to the writer thread. */
export interface Command {
	readonly name: string;
	readonly input: unknown;
}

/** What became of a command. */
export type Outcome =
	| { readonly ok: true; readonly value: unknown }
	| { readonly ok: false; readonly failure: Failure };

/** Runs one command inside a transaction. */
export type Execute = (connection: Connection, command: Command) => unknown;

/**
 * Runs a group of commands as one durable transaction; an error undoes its own command only. When SQLite gives the
 * whole transaction up (a full disk), every command is tried again alone, so that those which free room succeed.
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
 * A savepoint makes SQLite copy every page that its command changes, and commands seldom fail: so the group runs
 * without them at first, and once more with them when a command fails that has written before.
 */
function runTogether(connection: Connection, commands: readonly Command[], execute: Execute): Outcome[] {
	try {
		return transact(connection, commands, (command) => runBare(connection, command, execute));
	} catch (error) {
		if (!(error instanceof HalfWritten)) throw error;
		return transact(connection, commands, (command) => runUndoable(connection, command, execute));
	}
}

/** A command failed after its first write, with no savepoint to go back to. */
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

/** Throws {@link HalfWritten}, or what was thrown when the transaction around it is gone. */
function runBare(connection: Connection, command: Command, execute: Execute): Outcome {
	const before = connection.changes;
	try {
		return { ok: true, value: execute(connection, command) };
	} catch (error) {
		if (!connection.inTransaction) throw error;
		if (connection.changes !== before) throw new HalfWritten();
		return { ok: false, failure: toFailure(error) };
	}
}

/** Throws only when the transaction around it is gone. */
function runUndoable(connection: Connection, command: Command, execute: Execute): Outcome {
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
