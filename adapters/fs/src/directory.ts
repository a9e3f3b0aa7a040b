import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
	access,
	type FileHandle,
	lstat,
	mkdir,
	open,
	readdir,
	realpath,
	rename,
	rmdir,
	stat,
	unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock, Logger } from '@plinth/core';
import { ownerMark, ownerState } from '@plinth/core';
import { makePrivateDir } from '@plinth/toolkit';
import { withStoreErrors } from './failures.ts';
import { directoryOf } from './keys.ts';

/** Directory of unfinished files; no key contains an `@`. */
const temporaryName = '@tmp';
/** Age in milliseconds after which an unfinished file of an unknown process counts as abandoned. */
const staleMs = 60 * 60 * 1000;

/**
 * How often `put` creates its directory again while concurrent deletes remove it: each delete removes it at
 * most once.
 */
const maxMkdirAttempts = 1_000;

/** The directory of a store. */
export interface Directory {
	/** Absolute, without links. */
	readonly root: string;
	/** A fresh path on the same file system. */
	temporaryFile(): string;
	/** Removes unfinished files of processes that have exited, and logs their number. */
	sweep(): Promise<void>;
}

/** Opens the directory, and creates what is missing. */
export async function openDirectory(path: string, clock: Clock, log: Logger): Promise<Directory> {
	await withStoreErrors((async () => makePrivateDir(join(path, temporaryName)))());
	const root = await withStoreErrors(realpath(path));
	const temporary = join(root, temporaryName);
	return {
		root,
		temporaryFile: () => join(temporary, `${ownerMark()}.${randomUUID()}`),
		async sweep() {
			const removed = await withStoreErrors(removeStale(temporary, clock.now() - staleMs));
			if (removed > 0) log.info({ removed, dir: root }, 'removed unfinished blobs of killed processes');
		},
	};
}

/** Rejects unless the directory exists and is writable. */
export function checkWritable({ root }: Directory): Promise<void> {
	return access(join(root, temporaryName), constants.W_OK);
}

/** Moves a finished file to its path; durable when it resolves. */
export async function publish(directory: Directory, from: string, path: string): Promise<void> {
	const target = join(directory.root, path);
	for (let attemptsLeft = maxMkdirAttempts; ; attemptsLeft -= 1) {
		try {
			await mkdir(dirname(target), { recursive: true, mode: 0o700 });
			await rename(from, target);
			break;
		} catch (error) {
			// Concurrent deletes remove empty directories, such as that of `target` before the rename.
			if (!isAbsent(error) || attemptsLeft === 0) throw error;
			await access(from);
		}
	}
	// All parents, not only those created here: a concurrent put may have created one without syncing it yet. A
	// missing parent was empty, so the blob was deleted meanwhile.
	for (const parent of parentsOf(directory, path)) await syncIfPresent(parent);
}

/** Opens a blob's file; null when there is none. */
export async function openIfPresent({ root }: Directory, path: string): Promise<FileHandle | null> {
	try {
		return await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW);
	} catch (error) {
		if (isAbsent(error)) return null;
		throw error;
	}
}

/** The length of a blob's file; null when there is none. */
export async function sizeIfPresent({ root }: Directory, path: string): Promise<number | null> {
	try {
		const entry = await lstat(join(root, path));
		return entry.isFile() ? entry.size : null;
	} catch (error) {
		if (isAbsent(error)) return null;
		throw error;
	}
}

/** Deletes a file, and the directories that become empty. Durable when it resolves. */
export async function removeFile(directory: Directory, path: string): Promise<void> {
	try {
		await unlink(join(directory.root, path));
	} catch (error) {
		if (isAbsent(error)) return;
		throw error;
	}
	for (const parent of parentsOf(directory, path)) {
		const isRemoved =
			parent !== directory.root &&
			(await rmdir(parent).then(
				() => true,
				(error) => isAbsent(error),
			));
		if (!isRemoved && (await syncIfPresent(parent))) return;
	}
}

/** The paths of all blob files below the directory of a key, relative to the root. */
export async function* walk(directory: Directory, key: string): AsyncGenerator<string> {
	const pending = [directoryOf(key)];
	for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
		const entries = await withStoreErrors(
			readdir(join(directory.root, path), { withFileTypes: true }).catch((error: unknown) => {
				if (isAbsent(error)) return [];
				throw error;
			}),
		);
		for (const entry of entries) {
			const child = path === '' ? entry.name : `${path}/${entry.name}`;
			if (entry.isDirectory() && child !== temporaryName) pending.push(child);
			else if (entry.isFile() && entry.name.endsWith('@')) yield child;
		}
	}
}

/** From the directory that holds the file up to the root. */
function* parentsOf({ root }: Directory, path: string): Generator<string> {
	const target = join(root, path);
	for (let parent = dirname(target); parent.length > root.length; parent = dirname(parent)) {
		yield parent;
	}
	yield root;
}

/** Makes the entries of a directory durable; false when it does not exist. */
async function syncIfPresent(path: string): Promise<boolean> {
	let handle: FileHandle;
	try {
		handle = await open(path, constants.O_RDONLY);
	} catch (error) {
		if (isAbsent(error)) return false;
		throw error;
	}
	try {
		await handle.sync();
		return true;
	} finally {
		await handle.close();
	}
}

async function removeStale(temporary: string, before: number): Promise<number> {
	let removed = 0;
	for (const name of await readdir(temporary)) {
		const path = join(temporary, name);
		const owner = ownerState(name.slice(0, name.indexOf('.')));
		if (owner === 'alive') continue;
		const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: before }));
		if (owner === 'unknown' && mtimeMs >= before) continue;
		await unlink(path).catch(ignoreAbsent);
		removed += 1;
	}
	return removed;
}

function ignoreAbsent(error: unknown): void {
	if (!isAbsent(error)) throw error;
}

function isAbsent(error: unknown): boolean {
	const code = (error as NodeJS.ErrnoException | null)?.code;
	return code === 'ENOENT' || code === 'ENOTDIR';
}
