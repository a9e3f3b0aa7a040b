import { constants } from 'node:fs';
import { chmod, copyFile, type FileHandle, mkdtemp, open, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve, sep } from 'node:path';
import { ownerMark, plinthError } from '@plinth/core';

/** The content of a file to write. `path` is a file to copy. */
type Content = Uint8Array | string | AsyncIterable<Uint8Array> | { readonly path: string };

/** The private folder of one run, with its input and result files. */
export class RunFolder {
	/** Absolute, with links resolved. */
	readonly path: string;
	/** The unique name of the folder. */
	readonly name: string;

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
		this.name = basename(path);
	}

	/** Writes a file. Other files are copied, because a program may modify its input. */
	async write(name: string, content: Content): Promise<void> {
		const to = join(this.path, name);
		const written =
			typeof content === 'object' && 'path' in content
				? copyFile(content.path, to, constants.COPYFILE_FICLONE)
				: writeFile(to, content, { mode: 0o600 });
		await written.catch(throwStoreError);
	}

	/** Writes a client's file and returns its name, with the extension of its type: `reference.png`. */
	async writeInput(stem: string, mediaType: string, content: Content): Promise<string> {
		const subtype = mediaType.split('/').at(-1) ?? '';
		const name = /^[a-z0-9]{1,10}$/.test(subtype) ? `${stem}.${subtype}` : stem;
		await this.write(name, content);
		return name;
	}

	/**
	 * Reads a result file. Rejects with the error of `fault` for one that is missing, outside the folder, not a file,
	 * empty, or larger than `maxBytes`.
	 */
	async read(name: string, maxBytes: number, fault: (action: string, cause?: unknown) => Error): Promise<Buffer> {
		const failing = (action: string) => (cause: unknown) => Promise.reject(fault(action, cause));
		const path = await realpath(resolve(this.path, name)).catch(failing('did not create its result file'));
		if (!path.startsWith(this.path + sep)) throw fault('named a file outside its folder');
		// Does not block on a named pipe.
		const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
		const file = await open(path, flags).catch(failing('made a file that cannot be opened'));
		try {
			const stats = await file.stat();
			if (!stats.isFile()) throw fault('returned a result that is not a file');
			if (stats.size === 0) throw fault('made an empty file');
			if (stats.size > maxBytes) throw fault(`made a file of more than ${maxBytes} bytes`);
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
}

/** Reads at most the given size: the file may still grow. */
async function readStart(file: FileHandle, size: number): Promise<Buffer> {
	const bytes = Buffer.allocUnsafeSlow(size);
	let filled = 0;
	const chunks = file.createReadStream({ end: size - 1, autoClose: false, highWaterMark: 2 ** 20 });
	for await (const chunk of chunks) filled += (chunk as Buffer).copy(bytes, filled);
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
