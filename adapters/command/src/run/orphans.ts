import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The variable by which the processes of a run are known, whatever group or session they have moved to. */
export const markName = 'PLINTH_RUN';

/** A killed process needs a moment to be gone; one that is not after so many looks waits in its kernel for something. */
const maxLooks = 500;
const lookEveryMs = 2;

/**
 * Kills what has left the group of a program: on Linux every process shows the environment that it was started with, and what was started
 * by the program has its mark. `first` is the id of the program. Does nothing on systems without `/proc`.
 */
export async function killOrphans(mark: string, first: number): Promise<void> {
	for (let look = 0; look < maxLooks; look++) {
		const found = marked(mark, first);
		if (found.length === 0) return;
		for (const pid of found) kill(pid);
		await delay(lookEveryMs);
	}
}

function marked(mark: string, first: number): readonly number[] {
	const needle = `${markName}=${mark}`;
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
		const least = latest >= first ? first : 0;
		const names = readdirSync('/proc').map(Number);
		return names.filter((pid) => Number.isInteger(pid) && pid >= least);
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
