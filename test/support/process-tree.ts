import { readdirSync, readFileSync } from 'node:fs';

/** What a group of processes takes, read from `/proc` (Linux). */
export interface Usage {
	/** Resident memory of all processes together, in bytes; shared pages count once for each. */
	readonly residentBytes: number;
	/** Open file descriptors, sockets among them. */
	readonly descriptors: number;
	readonly processes: number;
}

/** Measures every process of a group, such as a child of a test and everything that it started. */
export function usageOfGroup(group: number): Usage {
	let [residentBytes, descriptors, processes] = [0, 0, 0];
	for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
		try {
			if (groupOf(pid) !== group) continue;
			residentBytes += residentOf(pid);
			descriptors += readdirSync(`/proc/${pid}/fd`).length;
			processes++;
		} catch {
			// It ended while it was looked at.
		}
	}
	return { residentBytes, descriptors, processes };
}

function groupOf(pid: string): number {
	// The name in brackets may hold blanks; behind it come state, parent and group.
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
	return Number(fields[2]);
}

function residentOf(pid: string): number {
	const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
	return Number(line?.[1] ?? 0) * 1024;
}
