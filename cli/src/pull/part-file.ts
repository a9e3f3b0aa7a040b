import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The downloaded part of a file: `<file>.part`. `<file>.part.version` holds the version of the file, as the server
 * reported it.
 */
export class PartFile {
	readonly #file: string;
	#hash: Hash;
	#bytes: number;
	/** The `ETag` or `Last-Modified` of the file, for `If-Range`. Empty if the server has reported none. */
	#version: string;
	#handle: FileHandle | undefined;

	private constructor(file: string, hash: Hash, bytes: number, version: string) {
		this.#file = file;
		this.#hash = hash;
		this.#bytes = bytes;
		this.#version = version;
	}

	/** Opens the part that an earlier download has left, or an empty one. */
	static async open(file: string): Promise<PartFile> {
		const { size = 0 } = (await stat(`${file}.part`).catch(() => undefined)) ?? {};
		const hash = size > 0 ? await hashOf(`${file}.part`) : createHash('sha256');
		const version = await readFile(`${file}.part.version`, 'utf8').catch(() => '');
		return new PartFile(file, hash, size, version);
	}

	/** The number of downloaded bytes. */
	get bytes(): number {
		return this.#bytes;
	}

	get version(): string {
		return this.#version;
	}

	/** The checksum of the downloaded bytes, in hexadecimal digits. */
	get sha256(): string {
		return this.#hash.copy().digest('hex');
	}

	/** Discards the part and starts a new one, of this version of the file. */
	async restart(version: string): Promise<void> {
		await this.close();
		await writeFile(`${this.#file}.part.version`, version);
		this.#handle = await open(`${this.#file}.part`, 'w');
		this.#hash = createHash('sha256');
		this.#bytes = 0;
		this.#version = version;
	}

	async append(bytes: Uint8Array): Promise<void> {
		this.#handle ??= await open(`${this.#file}.part`, 'a');
		await this.#handle.appendFile(bytes);
		this.#hash.update(bytes);
		this.#bytes += bytes.byteLength;
	}

	/** Flushes the complete file to the disk and renames it to its final name. */
	async finish(): Promise<void> {
		this.#handle ??= await open(`${this.#file}.part`, 'a');
		await this.#handle.sync();
		await this.close();
		await rename(`${this.#file}.part`, this.#file);
		await rm(`${this.#file}.part.version`, { force: true });
		await syncFolder(dirname(this.#file));
	}

	async close(): Promise<void> {
		await this.#handle?.close();
		this.#handle = undefined;
	}

	async remove(): Promise<void> {
		await this.close();
		for (const suffix of ['.part', '.part.version']) await rm(`${this.#file}${suffix}`, { force: true });
	}
}

/** The running checksum of a file. */
export async function hashOf(file: string): Promise<Hash> {
	const hash = createHash('sha256');
	for await (const bytes of createReadStream(file, { highWaterMark: 1_048_576 })) hash.update(bytes);
	return hash;
}

async function syncFolder(folder: string): Promise<void> {
	// Windows cannot sync a folder.
	if (process.platform === 'win32') return;
	const handle = await open(folder);
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
