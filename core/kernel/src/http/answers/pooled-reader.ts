import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { isReusableBody, type ReusableBody } from '../../contract/ports/blob-store.ts';
import { isBare } from './send.ts';

const bufferBytes = 524_288;

/** Buffers of downloads that have ended. */
const spare: Buffer[] = [];
const maxSpare = 32;

/**
 * Reads a body into one buffer again and again, where the body can and the answer goes straight to a socket: most of
 * what a download costs is fresh memory. A chunk is valid until the next call. Undefined: iterate the body.
 */
export function readPooled(body: AsyncIterable<Uint8Array>, res: ServerResponse): PooledReader | undefined {
	// A host's middleware that wraps `write`, and answers without a socket, may keep the bytes behind its callback.
	const isCopiedAtOnce = isBare(res) && res.socket instanceof Socket;
	return isReusableBody(body) && isCopiedAtOnce ? new PooledReader(body) : undefined;
}

/** An iterator over a body whose chunks share their memory. */
export class PooledReader implements AsyncIterator<Uint8Array, undefined> {
	readonly #body: ReusableBody;
	readonly #buffer = spare.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);

	constructor(body: ReusableBody) {
		this.#body = body;
	}

	async next(): Promise<IteratorResult<Uint8Array, undefined>> {
		const length = await this.#body.readInto(this.#buffer);
		return length === 0 ? { done: true, value: undefined } : { done: false, value: this.#buffer.subarray(0, length) };
	}

	/** Closes the body. The buffer is left to the collector: after an abort the disk or the socket may still use it. */
	async return(): Promise<IteratorReturnResult<undefined>> {
		await this.#body[Symbol.asyncIterator]().return?.();
		return { done: true, value: undefined };
	}

	/** Keeps the buffer for another body. To be called when everything was read and written. */
	finish(): void {
		if (spare.length < maxSpare) spare.push(this.#buffer);
	}
}
