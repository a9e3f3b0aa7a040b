import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The variable by which the processes of a run are known, whatever group or session they have moved to. */
export const runVariable = 'PLINTH_RUN';

/** A killed process needs a moment to be gone; one that is not after so many looks waits in its kernel for something. */
const maxAttempts = 500;
const retryMs = 2;

/**
 * Kills what has left the group of a program: on Linux every process shows the environment that it was started with, and what was started
 * by the program has its mark. `first` is the id of the program. Does nothing on systems without `/proc`.
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
			// It has ended, or belongs to somebody else.
			return false;
		}
	});
}

/** Of all processes that may have been started after `first`: ids rise until they begin again at the bottom. */
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
		// It has ended by itself.
	}
}
