import type { Readable } from 'node:stream';
import { type Clock, plinthError } from '@plinth/core';

/** How long a server may be silent, in milliseconds. Each received byte restores one: below 1 KB/s, reads fail. */
const maxSilenceMs = 30_000;

/**
 * The body of a response. Reading fails unless all announced bytes arrive. Not a generator: `return` must close the
 * connection also when nothing was read.
 */
export class S3Body implements AsyncIterableIterator<Uint8Array, undefined> {
	readonly #stream: Readable;
	readonly #chunks: AsyncIterator<Uint8Array>;
	readonly #clock: Clock;
	#missing: number;
	#remainingMs = maxSilenceMs;
	#isClosed = false;

	constructor(stream: Readable, size: number, clock: Clock) {
		this.#stream = stream;
		this.#chunks = stream[Symbol.asyncIterator]();
		this.#clock = clock;
		this.#missing = size;
		// It may fail while it is not being read. Without a listener, the error would end the process.
		stream.on('error', () => {});
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	async next(): Promise<IteratorResult<Uint8Array, undefined>> {
		if (this.#isClosed) return { done: true, value: undefined };
		const startedAt = this.#clock.now();
		const cancelTimer = this.#clock.after(this.#remainingMs, () =>
			this.#stream.destroy(new Error('The S3 server sends too slowly.')),
		);
		try {
			const { done, value } = await this.#chunks.next();
			if (done) return this.#end();
			this.#missing -= value.length;
			if (this.#missing < 0) throw new Error('The S3 server sends more bytes than announced.');
			this.#remainingMs = Math.min(maxSilenceMs, this.#remainingMs - (this.#clock.now() - startedAt) + value.length);
			return { done: false, value };
		} catch (cause) {
			await this.return();
			throw plinthError('E_STORE_UNAVAILABLE', { message: 'A download from S3 was interrupted.', cause });
		} finally {
			cancelTimer();
		}
	}

	async return(): Promise<IteratorReturnResult<undefined>> {
		this.#isClosed = true;
		this.#stream.destroy();
		return { done: true, value: undefined };
	}

	#end(): IteratorReturnResult<undefined> {
		this.#isClosed = true;
		if (this.#missing > 0) throw new Error(`${this.#missing} bytes are missing.`);
		return { done: true, value: undefined };
	}
}
