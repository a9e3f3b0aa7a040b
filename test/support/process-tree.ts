import { readdirSync, readFileSync } from 'node:fs';

/** The resources of a group of processes, read from `/proc` (Linux). */
export interface Usage {
	/** Resident memory of all processes, in bytes. Shared pages count once per process. */
	readonly residentBytes: number;
	/** Memory of all processes with shared pages counted once (PSS), in bytes. */
	readonly proportionalBytes: number;
	/** Open file descriptors, including sockets. */
	readonly descriptors: number;
	readonly processes: number;
}

/** Measures all processes of a group, such as a child of a test and its descendants. */
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
			// The process has ended meanwhile.
		}
	}
	return { residentBytes, proportionalBytes, descriptors, processes };
}

/** The growth of memory during some work, in bytes. */
export interface MemoryGrowth {
	/** The peak growth of the server process. */
	readonly server: number;
	/** The peak of the largest child process; 0 when there was none. */
	readonly child: number;
}

/** Measures the resident memory of a server and of its child processes while `work` runs. */
export async function memoryGrowthDuring(pid: number, work: () => Promise<unknown>): Promise<MemoryGrowth> {
	const before = residentOrZero(pid);
	let [server, child] = [0, 0];
	const watch = setInterval(() => {
		server = Math.max(server, residentOrZero(pid) - before);
		child = Math.max(child, ...childrenOf(pid).map(residentOrZero));
	}, 5);
	try {
		await work();
	} finally {
		clearInterval(watch);
	}
	return { server, child };
}

/** A number of bytes for a report, such as `12 MB`. */
export function inMegabytes(bytes: number): string {
	return `${(bytes / 1_048_576).toFixed(0)} MB`;
}

/** The running child processes of a process. */
export function childrenOf(pid: number): readonly number[] {
	const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
	return list.split(' ').filter(Boolean).map(Number);
}

/** Resident memory of a process, in bytes; 0 when it has ended. */
export function residentOrZero(pid: number): number {
	try {
		return residentOf(String(pid));
	} catch {
		return 0;
	}
}

function groupOf(pid: string): number {
	// The name in parentheses may contain spaces. State, parent and group follow it.
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
