import type { FileHandle } from 'node:fs/promises';
import type { ReusableBody } from '@plinth/core';
import { damaged, withStoreErrors } from './failures.ts';

/** Large reads cost fewer wake-ups, and each chunk is the reader's own unless it brings the memory itself. */
const chunkBytes = 512 * 1024;

/**
 * A window of an open file. An iterator of its own instead of a generator, because `return` must close the file even when
 * nothing was read yet, and a generator that never started runs no `finally`.
 */
export class FileBody implements AsyncIterableIterator<Uint8Array, undefined>, ReusableBody {
	readonly #handle: FileHandle;
	readonly #end: number;
	#position: number;
	#isClosed = false;

	constructor(handle: FileHandle, start: number, end: number) {
		this.#handle = handle;
		this.#position = start;
		this.#end = end;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	async next(): Promise<IteratorResult<Uint8Array, undefined>> {
		const length = Math.min(chunkBytes, this.#end - this.#position);
		if (this.#isClosed || length <= 0) return this.return();
		const buffer = Buffer.allocUnsafeSlow(length);
		return { done: false, value: buffer.subarray(0, await this.readInto(buffer)) };
	}

	async readInto(buffer: Uint8Array): Promise<number> {
		const length = Math.min(buffer.length, this.#end - this.#position);
		if (this.#isClosed || length <= 0) {
			await this.return();
			return 0;
		}
		try {
			const { bytesRead } = await withStoreErrors(
				this.#handle.read(buffer, 0, length, this.#position),
			);
			if (bytesRead === 0) throw damaged(new Error('The file is shorter than it was.'));
			this.#position += bytesRead;
			return bytesRead;
		} catch (error) {
			await this.return();
			throw error;
		}
	}

	async return(): Promise<IteratorReturnResult<undefined>> {
		if (!this.#isClosed) {
			this.#isClosed = true;
			await this.#handle.close();
		}
		return { done: true, value: undefined };
	}
}
