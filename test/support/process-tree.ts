import { readdirSync, readFileSync } from 'node:fs';

/** What a group of processes takes, read from `/proc` (Linux). */
export interface Usage {
	/** Resident memory of all processes together, in bytes; shared pages count once for each. */
	readonly residentBytes: number;
	/** The same with shared pages counted once in the group (PSS), in bytes. */
	readonly proportionalBytes: number;
	/** Open file descriptors, sockets among them. */
	readonly descriptors: number;
	readonly processes: number;
}

/** Measures every process of a group, such as a child of a test and everything that it started. */
export function usageOfGroup(group: number): Usage {
	let [residentBytes, proportionalBytes, descriptors, processes] = [0, 0, 0, 0];
	for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
		try {
			if (groupOf(pid) !== group) continue;
			residentBytes += residentOf(pid);
			proportionalBytes += bytesIn(`/proc/${pid}/smaps_rollup`, 'Pss');
			descriptors += readdirSync(`/proc/${pid}/fd`).length;
			processes++;
		} catch {
			// It ended while it was looked at.
		}
	}
	return { residentBytes, proportionalBytes, descriptors, processes };
}

/** What a server held while something happened, in bytes. */
export interface Held {
	/** The most of its own process, beyond what it had before. */
	readonly server: number;
	/** The most of the largest process below it; 0 when there was none. */
	readonly child: number;
}

/** Measures the resident memory of a server, and of the processes that it has started, while `work` runs. */
export async function heldDuring(pid: number, work: () => Promise<unknown>): Promise<Held> {
	const before = residentOrNone(pid);
	let [server, child] = [0, 0];
	const watch = setInterval(() => {
		server = Math.max(server, residentOrNone(pid) - before);
		child = Math.max(child, ...childrenOf(pid).map(residentOrNone));
	}, 5);
	try {
		await work();
	} finally {
		clearInterval(watch);
	}
	return { server, child };
}

/** The processes that a process has started and that run. */
export function childrenOf(pid: number): readonly number[] {
	const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
	return list.split(' ').filter(Boolean).map(Number);
}

/** Resident memory of a process, in bytes; 0 when it has ended meanwhile. */
export function residentOrNone(pid: number): number {
	try {
		return residentOf(String(pid));
	} catch {
		return 0;
	}
}

function groupOf(pid: string): number {
	// The name in brackets may hold blanks; behind it come state, parent and group.
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
	return Number(fields[2]);
}

function residentOf(pid: string): number {
	return bytesIn(`/proc/${pid}/status`, 'VmRSS');
}

/** A value of a file below `/proc`, in bytes. */
function bytesIn(file: string, name: string): number {
	const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(file, 'utf8'));
	return Number(line?.[1] ?? 0) * 1024;
}
