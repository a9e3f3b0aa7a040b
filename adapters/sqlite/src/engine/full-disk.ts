import type { Connection } from './connection.ts';
import { type Command, type Execute, type Outcome, runGroup } from './group.ts';
import type { Reserve } from './reserve.ts';

const refused: Outcome = {
	ok: false,
	failure: { kind: 'full', message: 'the disk has no room beside the reserve' },
};

/**
 * Runs a group as `runGroup` does, and on a full disk keeps a way out: the reserve gives way, the write-ahead log
 * is copied into the file and begins anew, and what has failed is tried again. Until there is room for a new
 * reserve, only commands that `mayUseReserve` are tried: those that free room, and those that end work or keep it.
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
		const answers = runGroup(connection, tried, execute);
		tried.forEach((command, index) => void outcomes.set(command, answers[index] ?? refused));
		return tried.filter((command) => isFull(outcomes.get(command)));
	};
	const failed = run(commands);
	// What may not use the reserve must not take from later deletions what they need.
	if (failed.some(mayUseReserve)) {
		reserve.release();
		restartLog(connection);
		run(failed);
	}
	return [...outcomes.values()];
}

/** Copies the write-ahead log into the file, so that the room the log has on the disk serves the next writes. */
export function restartLog(connection: Connection): void {
	try {
		connection.exec('PRAGMA wal_checkpoint(RESTART)');
	} catch {
		// No room for that either: the commands that follow say so.
	}
}

function isFull(outcome: Outcome | undefined): boolean {
	return outcome?.ok === false && outcome.failure.kind === 'full';
}
