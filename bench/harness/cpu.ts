import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second for every program (`USER_HZ`). */
const tickMs = 10;

interface ProcessTimes {
	readonly parent: number;
	/** Milliseconds of the process and all its threads, user and system. */
	readonly own: number;
	/** Milliseconds of children that have ended and were waited for. */
	readonly ended: number;
}

/** Processor milliseconds that a process and its descendants have used so far. Resolution: 10 ms. */
export function cpuOfTree(pid: number): number {
	const all = new Map<number, ProcessTimes>();
	for (const name of readdirSync('/proc')) {
		const times = /^\d+$/.test(name) ? timesOf(name) : undefined;
		if (times) all.set(Number(name), times);
	}
	const sum = (of: number): number => {
		const times = all.get(of);
		if (!times) return 0;
		const children = [...all].filter(([, { parent }]) => parent === of);
		return children.reduce((total, [child]) => total + sum(child), times.own + times.ended);
	};
	if (!all.has(pid)) throw new Error(`Process ${pid} is gone.`);
	return sum(pid);
}

/** Processor milliseconds of all ended children of this process so far, including their descendants. */
export function cpuOfEnded(): number {
	return timesOf('self')?.ended ?? 0;
}

/** Resident memory of one process in bytes. */
export function residentBytes(pid: number): number {
	const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
	if (kilobytes === undefined) throw new Error(`Process ${pid} tells no resident size.`);
	return Number(kilobytes) * 1024;
}

function timesOf(pid: string): ProcessTimes | undefined {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
		// The second field is the command in brackets, which may contain spaces. The list starts with the third field.
		const fields = text
			.slice(text.lastIndexOf(')') + 2)
			.split(' ')
			.map(Number);
		const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
		return {
			parent: fields[1] ?? 0,
			own: (user + system) * tickMs,
			ended: (endedUser + endedSystem) * tickMs,
		};
	} catch {
		// The process ended between the listing and the reading.
		return undefined;
	}
}
