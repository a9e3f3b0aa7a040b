import { type FileHandle, open } from 'node:fs/promises';
import type { ReusableBody } from '../../../contract/ports/blob-store.ts';

const chunkBytes = 262_144;

/**
 * Reads a file in chunks, or into a reader's own memory. The file is opened by the first read and closed behind the
 * last one or by `return`.
 */
export class FileChunks implements AsyncIterableIterator<Uint8Array, undefined>, ReusableBody {
	readonly #path: string;
	#handle: Promise<FileHandle> | undefined;
	#isOver = false;

	constructor(path: string) {
		this.#path = path;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	async next(): Promise<IteratorResult<Uint8Array, undefined>> {
		const buffer = Buffer.allocUnsafeSlow(chunkBytes);
		const length = await this.readInto(buffer);
		return length === 0 ? this.return() : { done: false, value: buffer.subarray(0, length) };
	}

	async readInto(buffer: Uint8Array): Promise<number> {
		if (this.#isOver) return 0;
		this.#handle ??= open(this.#path);
		try {
			const { bytesRead } = await (await this.#handle).read(buffer, 0, buffer.length);
			if (bytesRead === 0) await this.return();
			return bytesRead;
		} catch (error) {
			await this.return();
			throw error;
		}
	}

	async return(): Promise<IteratorReturnResult<undefined>> {
		const handle = this.#isOver ? undefined : this.#handle;
		this.#isOver = true;
		await (await handle?.catch(() => undefined))?.close();
		return { done: true, value: undefined };
	}
}
