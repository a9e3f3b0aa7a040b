import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The environment variable that identifies the processes of a run in any group or session. */
export const runVariable = 'PLINTH_RUN';

/** Sends a signal to a process, or to a process group by its negative id, unless it has ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// It has ended.
	}
}

/**
 * Kills processes that have left the process group of a program. On Linux every process exposes its initial
 * environment, which contains the run's variable. `first` is the process id of the program. Does nothing on
 * systems without `/proc`.
 */
export async function killOrphans(mark: string, first: number): Promise<void> {
	// A killed process that remains after all attempts is blocked in the system's kernel.
	for (let attempt = 0; attempt < 500; attempt++) {
		const pids = processesSince(first).filter((pid) => isMarked(pid, `${runVariable}=${mark}`));
		if (pids.length === 0) return;
		for (const pid of pids) sendSignal(pid, 'SIGKILL');
		await delay(2);
	}
}

/** The ids of processes that may have started after `first`: ids increase until they wrap around. */
function processesSince(first: number): readonly number[] {
	try {
		const latest = Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
		const names = readdirSync('/proc').map(Number);
		return names.filter((pid) => pid >= (latest >= first ? first : 0));
	} catch {
		return [];
	}
}

function isMarked(pid: number, mark: string): boolean {
	try {
		return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
	} catch {
		// The process has ended, or belongs to another user.
		return false;
	}
}
