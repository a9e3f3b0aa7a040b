import type { FileHandle } from 'node:fs/promises';
import type { ReusableBody } from '@plinth/core';
import { damaged, withStoreErrors } from './failures.ts';

/** Large reads need fewer wake-ups. Each chunk has its own memory unless the reader brings a buffer. */
const chunkBytes = 512 * 1024;

/**
 * A range of an open file. Not a generator: `return` must close the file also when nothing was read, and
 * the `finally` of a generator that never started does not run.
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
			const { bytesRead } = await withStoreErrors(this.#handle.read(buffer, 0, length, this.#position));
			if (bytesRead === 0) throw damaged(new Error('The file was truncated during the read.'));
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
