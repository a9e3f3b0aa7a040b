import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { isReusableBody, type ReusableBody } from '../../contract/ports/blob-store.ts';
import { bufferBytes, giveBuffer, takeBuffer } from '../buffers.ts';

/**
 * So many downloads at a time get a large buffer each; for more of them that would cost too much memory, because a
 * reader who does not read holds his until he is cut off.
 */
const mostLarge = 32;
const smallBytes = 131_072;

let largeInUse = 0;

/**
 * Reads a body into one buffer again and again, where the body can and the answer goes straight to a socket: most of
 * what a download costs is fresh memory. Each chunk is gone with the next call. Undefined: iterate the body.
 */
export function readPooled(body: AsyncIterable<Uint8Array>, res: ServerResponse): PooledReader | undefined {
	return isReusableBody(body) && copiesAtOnce(res) ? new PooledReader(body) : undefined;
}

/** An iterator over a body whose chunks share their memory. */
export class PooledReader implements AsyncIterator<Uint8Array, undefined> {
	readonly #body: ReusableBody;
	readonly #buffer = take();
	#isReturned = false;

	constructor(body: ReusableBody) {
		this.#body = body;
	}

	async next(): Promise<IteratorResult<Uint8Array, undefined>> {
		const length = await this.#body.readInto(this.#buffer);
		if (length === 0) return { done: true, value: undefined };
		return { done: false, value: this.#buffer.subarray(0, length) };
	}

	/**
	 * Closes the body. Its buffer goes to the collector: after an abort the disk or the socket may still have it in
	 * hand.
	 */
	async return(): Promise<IteratorReturnResult<undefined>> {
		this.#leave();
		await this.#body[Symbol.asyncIterator]().return?.();
		return { done: true, value: undefined };
	}

	/** Keeps the buffer for another body. Only when this one was read, and what was read was written, to the end. */
	finish(): void {
		if (this.#isLarge && !this.#isReturned) giveBuffer(this.#buffer);
		this.#leave();
	}

	get #isLarge(): boolean {
		return this.#buffer.length === bufferBytes;
	}

	#leave(): void {
		if (this.#isLarge && !this.#isReturned) largeInUse -= 1;
		this.#isReturned = true;
	}
}

function take(): Buffer {
	if (largeInUse === mostLarge) return Buffer.allocUnsafeSlow(smallBytes);
	largeInUse += 1;
	return takeBuffer();
}

/**
 * Whether a write's callback means that the system has the bytes. A host's middleware that wraps `write`, and answers
 * without a socket, may keep them longer.
 */
function copiesAtOnce(res: ServerResponse): boolean {
	return res.write === ServerResponse.prototype.write && res.socket instanceof Socket;
}
