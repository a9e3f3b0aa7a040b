import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../../contract/ports/logger.ts';

const folderPattern = /^plinth-([0-9a-f]+-\d+-\d+)-[A-Za-z0-9]{6}$/;

/** The age at which a folder whose process cannot be checked is a leftover: no request takes as long. */
const uncheckedMs = 24 * 60 * 60 * 1000;

/** The path of a new upload folder, without the six characters that make it unique. */
export function uploadFolder(): string {
	return join(tmpdir(), `plinth-${ownerMark()}-`);
}

/** Deletes the upload folders of killed processes, but not those of other users. Never rejects. */
export async function removeLeftUploads(log: Logger): Promise<void> {
	const root = tmpdir();
	let removed = 0;
	for (const entry of await readdir(root).catch(() => [])) {
		const owner = folderPattern.exec(entry)?.[1];
		if (owner === undefined || ownerState(owner) === 'alive') continue;
		const path = join(root, entry);
		try {
			// Not `stat`, which would follow a link with such a name.
			const folder = await lstat(path);
			const isOwn = process.getuid === undefined || folder.uid === process.getuid();
			const isLeftover = ownerState(owner) === 'gone' || Date.now() - folder.mtimeMs > uncheckedMs;
			if (!folder.isDirectory() || !isOwn || !isLeftover) continue;
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
 * `<machine>-<pid>-<start>`: the process that writes temporary files, so that others can distinguish leftovers of a
 * crash from files in use. A process id is only compared within one boot and, in containers, one process namespace; the
 * start distinguishes a process from a later one with the same id.
 */
const markPattern = /^([0-9a-f]{12})-(\d+)-(\d+)$/;

let machine: string | undefined;
let mark: string | undefined;

/**
 * The mark of this process, for the names of temporary files that it writes: hex digits, digits and hyphens. From it,
 * {@link ownerState} of any process decides later whether the files are leftovers.
 */
export function ownerMark(): string {
	mark ??= `${machineName()}-${process.pid}-${processInfo(process.pid)?.start ?? 0}`;
	return mark;
}

/** The state of the process behind a mark. `unknown`: no mark, or one of another machine, boot or container. */
export function ownerState(text: string): 'alive' | 'gone' | 'unknown' {
	const [, markedMachine, pid = '', start] = markPattern.exec(text) ?? [];
	if (markedMachine !== machineName()) return 'unknown';
	if (!exists(Number(pid))) return 'gone';
	const info = processInfo(Number(pid));
	return !info || (info.start === start && !info.hasEnded) ? 'alive' : 'gone';
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

/** The start of a process, in ticks since the boot, and whether it has ended; undefined on systems without `/proc`. */
function processInfo(pid: number): { readonly start: string; readonly hasEnded: boolean } | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The second field is a name that may contain spaces and parentheses; the start is the 22nd field.
		const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return { start: fields[18] ?? '0', hasEnded: state === 'Z' || state === 'X' };
	} catch {
		return undefined;
	}
}
