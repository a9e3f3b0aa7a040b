import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../../contract/ports/logger.ts';

const name = /^plinth-([0-9a-f]+-\d+-\d+)-[A-Za-z0-9]{6}$/;

/** A folder whose process cannot be looked up is left over when it is as old as this: no request lives as long. */
const foreignMs = 24 * 60 * 60 * 1000;

/** Where a new upload folder goes, without the six characters that make it unique. */
export function uploadFolder(): string {
	return join(tmpdir(), `plinth-${ownerMark()}-`);
}

/**
 * Deletes the upload folders of processes that were killed. Those of living processes stay, whoever's they are, and
 * so does whatever belongs to another user. Never rejects.
 */
export async function removeLeftUploads(log: Logger): Promise<void> {
	const root = tmpdir();
	const found = await readdir(root).catch(() => []);
	let removed = 0;
	for (const entry of found) {
		const owner = name.exec(entry)?.[1];
		if (owner === undefined || ownerState(owner) === 'alive') continue;
		const path = join(root, entry);
		try {
			// Not stat: a link with such a name must not lead anywhere.
			const folder = await lstat(path);
			const isOurs = process.getuid === undefined || folder.uid === process.getuid();
			const isLeft = ownerState(owner) === 'gone' || Date.now() - folder.mtimeMs > foreignMs;
			if (!folder.isDirectory() || !isOurs || !isLeft) continue;
			await rm(path, { recursive: true, force: true });
			removed += 1;
		} catch (err) {
			// Processes that start together clean up together.
			if ((err as { code?: string }).code === 'ENOENT') continue;
			log.warn({ err, path }, 'a folder that a killed process has left could not be removed');
		}
	}
	if (removed > 0) log.info({ removed }, 'removed the uploads of processes that were killed');
}

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

/** The state of the process behind a mark. `unknown`: no mark, or one of another machine, boot or container. */
export function ownerState(text: string): 'alive' | 'gone' | 'unknown' {
	const [, where, pid = '', start] = form.exec(text) ?? [];
	if (where !== machineName()) return 'unknown';
	if (!exists(Number(pid))) return 'gone';
	const found = look(Number(pid));
	if (!found) return 'alive';
	return found.start === start && !found.isDead ? 'alive' : 'gone';
}

function machineName(): string {
	machine ??= hash('sha256', describeMachine()).slice(0, 12);
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

/** When a process began, in ticks since the boot, and whether it is dead; undefined where the system does not tell. */
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
