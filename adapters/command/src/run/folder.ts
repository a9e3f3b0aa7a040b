import { constants } from 'node:fs';
import {
	chmod,
	copyFile,
	type FileHandle,
	mkdtemp,
	open,
	readdir,
	realpath,
	rm,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve, sep } from 'node:path';
import { ownerMark, plinthError } from '@plinth/core';

/** Why a file that a program made is no result: what the program did, as the end of a sentence. */
export class ResultFileError extends Error {}

/** The private folder of one run: what goes into it, what comes out of it, and its end. */
export class RunFolder {
	/** Absolute, and without links. */
	readonly path: string;

	/** Makes a folder that only this user can enter. Its name says whose it is: the next server removes what a killed one has left. */
	static async create(): Promise<RunFolder> {
		const created = await mkdtemp(join(tmpdir(), `plinth-${ownerMark()}-`)).catch(throwStoreError);
		return new RunFolder(await realpath(created));
	}

	constructor(path: string) {
		this.path = path;
	}

	/** Its name, which no other run has. */
	get name(): string {
		return basename(this.path);
	}

	/** Puts a file into it. One that lies elsewhere is copied: a program may write into what it was given. */
	async write(
		name: string,
		content: Uint8Array | string | { readonly path: string },
	): Promise<void> {
		const to = join(this.path, name);
		const isFile = typeof content === 'object' && 'path' in content;
		const written = isFile
			? copyFile(content.path, to, constants.COPYFILE_FICLONE)
			: writeFile(to, content, { mode: 0o600 });
		await written.catch(throwStoreError);
	}

	/** Reads a file that the program made. Rejects with a {@link ResultFileError} for one that is missing, outside, no file, empty, or larger than `maxBytes`. */
	async read(name: string, maxBytes: number): Promise<Buffer> {
		const file = await this.#open(name);
		try {
			const stats = await file.stat();
			if (!stats.isFile())
				throw new ResultFileError('gave something else than a file as its result');
			if (stats.size === 0) throw new ResultFileError('made an empty file');
			if (stats.size > maxBytes)
				throw new ResultFileError(`made a file of more than ${maxBytes} bytes`);
			return await readStart(file, stats.size);
		} finally {
			await file.close();
		}
	}

	/** Removes it with all that is in it, also where the program has locked parts of it. */
	async remove(): Promise<void> {
		const options = { recursive: true, force: true, maxRetries: 3 } as const;
		await rm(this.path, options).catch(async () => {
			await unlock(this.path);
			await rm(this.path, options);
		});
	}

	async #open(name: string): Promise<FileHandle> {
		const path = await realpath(resolve(this.path, name)).catch((cause) => {
			throw new ResultFileError('did not make the file that is to be its result', { cause });
		});
		if (!path.startsWith(this.path + sep))
			throw new ResultFileError('named a file outside its folder');
		// A pipe is not waited for.
		const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
		return open(path, flags).catch((cause) => {
			throw new ResultFileError('made a file that cannot be opened', { cause });
		});
	}
}

/** As many bytes as the file had when it was looked at: it may still grow. */
async function readStart(file: FileHandle, size: number): Promise<Buffer> {
	const bytes = Buffer.allocUnsafeSlow(size);
	let filled = 0;
	while (filled < size) {
		const { bytesRead } = await file.read(bytes, filled, size - filled, filled);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return bytes.subarray(0, filled);
}

async function unlock(path: string): Promise<void> {
	await chmod(path, 0o700);
	for (const entry of await readdir(path, { withFileTypes: true })) {
		if (entry.isDirectory()) await unlock(join(path, entry.name));
	}
}

/** A full disk has a code of its own. */
function throwStoreError(error: unknown): never {
	const { code } = error as NodeJS.ErrnoException;
	if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
	throw plinthError('E_STORE_FULL', { cause: error });
}
