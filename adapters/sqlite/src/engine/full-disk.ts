import type { Connection } from './connection.ts';
import { type Command, type Execute, type Outcome, runGroup } from './group.ts';
import type { Reserve } from './reserve.ts';

const refused: Outcome = {
	ok: false,
	failure: { kind: 'full', message: 'the disk has no space beyond the reserve' },
};

/**
 * Runs a group as `runGroup` does. On a full disk it deletes the reserve, copies the write-ahead log into the file and
 * restarts it, and retries the failed commands. Until there is space for a new reserve, it only runs commands for which
 * `mayUseReserve` is true: those that free space, end an attempt or extend its lease.
 */
export function runOnFullDisk(
	connection: Connection,
	commands: readonly Command[],
	execute: Execute,
	reserve: Reserve,
	mayUseReserve: (command: Command) => boolean,
): Outcome[] {
	const outcomes = new Map<Command, Outcome>(commands.map((command) => [command, refused]));
	const run = (group: readonly Command[]): readonly Command[] => {
		const hasRoom = reserve.hasRoom();
		const tried = group.filter((command) => hasRoom || mayUseReserve(command));
		if (tried.length === 0) return [];
		const results = runGroup(connection, tried, execute);
		tried.forEach((command, index) => void outcomes.set(command, results[index] ?? refused));
		return tried.filter((command) => isFull(outcomes.get(command)));
	};
	const failed = run(commands);
	// The reserve is kept for later deletions unless a command that may use it has failed.
	if (failed.some(mayUseReserve)) {
		reserve.release();
		restartLog(connection);
		run(failed);
	}
	return [...outcomes.values()];
}

/** Copies the write-ahead log into the file, so that the next writes reuse the disk space of the log. */
export function restartLog(connection: Connection): void {
	try {
		connection.exec('PRAGMA wal_checkpoint(RESTART)');
	} catch {
		// There is no space for that either. The next commands report it.
	}
}

function isFull(outcome: Outcome | undefined): boolean {
	return outcome?.ok === false && outcome.failure.kind === 'full';
}
