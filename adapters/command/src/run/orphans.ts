import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The environment variable that identifies the processes of a run in any group or session. */
export const runVariable = 'PLINTH_RUN';

/** Attempts to find killed processes; one that remains is blocked in the system's kernel. */
const maxAttempts = 500;
const retryMs = 2;

/**
 * Kills processes that have left the process group of a program. On Linux every process exposes its initial
 * environment, which contains the run's variable. `first` is the process id of the program. Does nothing on
 * systems without `/proc`.
 */
export async function killOrphans(mark: string, first: number): Promise<void> {
	for (let attempt = 0; attempt < maxAttempts; attempt++) {
		const pids = markedProcesses(mark, first);
		if (pids.length === 0) return;
		for (const pid of pids) kill(pid);
		await delay(retryMs);
	}
}

function markedProcesses(mark: string, first: number): readonly number[] {
	const needle = `${runVariable}=${mark}`;
	return processIds(first).filter((pid) => {
		try {
			return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(needle);
		} catch {
			// The process has ended, or belongs to another user.
			return false;
		}
	});
}

/** The ids of processes that may have started after `first`: ids increase until they wrap around. */
function processIds(first: number): readonly number[] {
	try {
		const latest = Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
		const min = latest >= first ? first : 0;
		const names = readdirSync('/proc').map(Number);
		return names.filter((pid) => Number.isInteger(pid) && pid >= min);
	} catch {
		return [];
	}
}

function kill(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL');
	} catch {
		// The process has already ended.
	}
}
