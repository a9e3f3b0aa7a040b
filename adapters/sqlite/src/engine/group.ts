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
 * Runs a group of commands as one durable transaction, each in its own savepoint: an error undoes its own command only. When
 * SQLite gives the whole transaction up (a full disk), every command is tried again alone, so that those which free room succeed.
 */
export function runGroup(
	connection: Connection,
	commands: readonly Command[],
	execute: Execute,
): Outcome[] {
	try {
		connection.exec('BEGIN IMMEDIATE');
		const outcomes = commands.map((command) => runMember(connection, command, execute));
		connection.exec('COMMIT');
		return outcomes;
	} catch (error) {
		if (connection.inTransaction) connection.exec('ROLLBACK');
		const failure = toFailure(error);
		const isWorthSplitting = commands.length > 1 && failure.kind === 'full';
		return isWorthSplitting
			? commands.flatMap((command) => runGroup(connection, [command], execute))
			: commands.map(() => ({ ok: false, failure }));
	}
}

/** Throws only when the transaction around it is gone. */
function runMember(connection: Connection, command: Command, execute: Execute): Outcome {
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
