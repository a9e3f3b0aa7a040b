import { constants } from 'node:fs';
import { chmod, copyFile, type FileHandle, mkdtemp, open, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve, sep } from 'node:path';
import { ownerMark, plinthError } from '@plinth/core';

/** The fault of a result file, as the end of a sentence about the program. */
export class ResultFileError extends Error {}

/** The private folder of one run, with its input and result files. */
export class RunFolder {
	/** Absolute, with links resolved. */
	readonly path: string;

	/**
	 * Creates a folder with mode 0700. Its name identifies this process, so that the next server removes the
	 * folders of a killed one.
	 */
	static async create(): Promise<RunFolder> {
		const created = await mkdtemp(join(tmpdir(), `plinth-${ownerMark()}-`)).catch(throwStoreError);
		return new RunFolder(await realpath(created));
	}

	constructor(path: string) {
		this.path = path;
	}

	/** The unique name of the folder. */
	get name(): string {
		return basename(this.path);
	}

	/** Writes a file. Other files are copied, because a program may modify its input. */
	async write(name: string, content: Uint8Array | string | { readonly path: string }): Promise<void> {
		const to = join(this.path, name);
		const isFile = typeof content === 'object' && 'path' in content;
		const written = isFile
			? copyFile(content.path, to, constants.COPYFILE_FICLONE)
			: writeFile(to, content, { mode: 0o600 });
		await written.catch(throwStoreError);
	}

	/**
	 * Reads a result file. Rejects with a {@link ResultFileError} for one that is missing, outside the folder,
	 * not a file, empty, or larger than `maxBytes`.
	 */
	async read(name: string, maxBytes: number): Promise<Buffer> {
		const file = await this.#open(name);
		try {
			const stats = await file.stat();
			if (!stats.isFile()) throw new ResultFileError('returned a result that is not a file');
			if (stats.size === 0) throw new ResultFileError('made an empty file');
			if (stats.size > maxBytes) throw new ResultFileError(`made a file of more than ${maxBytes} bytes`);
			return await readStart(file, stats.size);
		} finally {
			await file.close();
		}
	}

	/** Removes the folder, also when the program has made parts of it unreadable. */
	async remove(): Promise<void> {
		const options = { recursive: true, force: true, maxRetries: 3 } as const;
		await rm(this.path, options).catch(async () => {
			await unlock(this.path);
			await rm(this.path, options);
		});
	}

	async #open(name: string): Promise<FileHandle> {
		const path = await realpath(resolve(this.path, name)).catch((cause) => {
			throw new ResultFileError('did not create its result file', { cause });
		});
		if (!path.startsWith(this.path + sep)) throw new ResultFileError('named a file outside its folder');
		// Does not block on a named pipe.
		const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
		return open(path, flags).catch((cause) => {
			throw new ResultFileError('made a file that cannot be opened', { cause });
		});
	}
}

/** Reads at most the given size: the file may still grow. */
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

/** Maps a full disk to `E_STORE_FULL`. */
function throwStoreError(error: unknown): never {
	const { code } = error as NodeJS.ErrnoException;
	if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
	throw plinthError('E_STORE_FULL', { cause: error });
}
