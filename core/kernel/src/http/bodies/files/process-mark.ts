import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Marks temporary files with the process that writes them, so that others can tell what a crash has left from what is
 * in use. A mark is `<machine>-<pid>-<start>` of hex digits and digits. A process id is only compared with processes
 * of the same boot and, in containers, the same process namespace; the start tells a process from a later one with
 * the same id.
 */
const form = /^([0-9a-f]{12})-(\d+)-(\d+)$/;

let machine: string | undefined;
let mark: string | undefined;

/**
 * The mark of this process, for the names of temporary files that it writes: hex digits, digits and hyphens. {@link
 * ownerState} tells any process later whether they are left over.
 */
export function ownerMark(): string {
	mark ??= `${machineName()}-${process.pid}-${look(process.pid)?.start ?? 0}`;
	return mark;
}

/**
 * What has become of the process behind a mark. `unknown`: it is no mark, or one of another machine, boot or
 * container.
 */
export function ownerState(text: string): 'alive' | 'gone' | 'unknown' {
	const [, where, pid = '', start] = form.exec(text) ?? [];
	if (where !== machineName()) return 'unknown';
	if (!exists(Number(pid))) return 'gone';
	const found = look(Number(pid));
	if (!found) return 'alive';
	return found.start === start && !found.isDead ? 'alive' : 'gone';
}

function machineName(): string {
	machine ??= createHash('sha256').update(describeMachine()).digest('hex').slice(0, 12);
	return machine;
}

function describeMachine(): string {
	try {
		const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
		return `${boot}${readlinkSync('/proc/self/ns/pid')}`;
	} catch {
		return hostname();
	}
}

function exists(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// Anything but "no such process" means that there is one.
		return (error as NodeJS.ErrnoException).code !== 'ESRCH';
	}
}

/**
 * When a process began, in ticks since the boot, and whether it only waits to be reaped; undefined where the system
 * does not tell.
 */
function look(pid: number): { readonly start: string; readonly isDead: boolean } | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The second field is a name that may hold spaces and parentheses; the start is the 22nd of them all.
		const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return { start: fields[18] ?? '0', isDead: state === 'Z' || state === 'X' };
	} catch {
		return undefined;
	}
}
