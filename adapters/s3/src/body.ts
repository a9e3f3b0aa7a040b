import type { Readable } from 'node:stream';
import { type Clock, plinthError } from '@plinth/core';

/** How long a server may be silent, in milliseconds. Each byte earns one of them again: a slower server is given up. */
const patienceMs = 30_000;

/**
 * The body of an answer. It ends well only with all bytes that were announced. Not a generator: `return` must close the
 * connection also when nothing was read.
 */
export class S3Body implements AsyncIterableIterator<Uint8Array, undefined> {
	readonly #stream: Readable;
	readonly #chunks: AsyncIterator<Uint8Array>;
	readonly #clock: Clock;
	#missing: number;
	#patience = patienceMs;
	#isClosed = false;

	constructor(stream: Readable, size: number, clock: Clock) {
		this.#stream = stream;
		this.#chunks = stream[Symbol.asyncIterator]();
		this.#clock = clock;
		this.#missing = size;
		// It may fail while nobody reads it.
		stream.on('error', () => {});
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	async next(): Promise<IteratorResult<Uint8Array, undefined>> {
		if (this.#isClosed) return { done: true, value: undefined };
		const began = this.#clock.now();
		const cancelTimer = this.#clock.after(this.#patience, () =>
			this.#stream.destroy(new Error('The S3 server sends too slowly.')),
		);
		try {
			const { done, value } = await this.#chunks.next();
			if (done) return this.#end();
			this.#missing -= value.length;
			if (this.#missing < 0) throw new Error('The S3 server sends more bytes than it has announced.');
			this.#patience = Math.min(patienceMs, this.#patience - (this.#clock.now() - began) + value.length);
			return { done: false, value };
		} catch (cause) {
			await this.return();
			throw plinthError('E_STORE_UNAVAILABLE', { message: 'A download from S3 broke off.', cause });
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
