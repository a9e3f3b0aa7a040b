import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { isReusableBody, type ReusableBody } from '../ports/blob-store.ts';

/** Reading is a trip to another thread, so large buffers pay; beyond so many downloads at a time they would cost too much memory. */
const large = { bytes: 1_048_576, count: 16, spare: 4 };
const smallBytes = 262_144;

let largeInUse = 0;
const spare: Uint8Array[] = [];

/**
 * Reads a body into one buffer again and again, where the body can and the answer goes straight to a socket: most of what a
 * download costs is fresh memory. Each chunk is gone with the next call. Undefined: iterate the body.
 */
export function readLent(
	body: AsyncIterable<Uint8Array>,
	res: ServerResponse,
): LentReader | undefined {
	return isReusableBody(body) && copiesAtOnce(res) ? new LentReader(body) : undefined;
}

/** An iterator over a body whose chunks share their memory. */
export class LentReader implements AsyncIterator<Uint8Array, undefined> {
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

	/** Closes the body. Its buffer goes to the collector: after an abort the disk or the socket may still have it in hand. */
	async return(): Promise<IteratorReturnResult<undefined>> {
		this.#leave();
		await this.#body[Symbol.asyncIterator]().return?.();
		return { done: true, value: undefined };
	}

	/** Keeps the buffer for another body. Only when this one was read, and what was read was written, to the end. */
	finish(): void {
		const isLarge = this.#buffer.length === large.bytes;
		if (isLarge && !this.#isReturned && spare.length < large.spare) spare.push(this.#buffer);
		this.#leave();
	}

	#leave(): void {
		if (this.#buffer.length === large.bytes && !this.#isReturned) largeInUse -= 1;
		this.#isReturned = true;
	}
}

function take(): Uint8Array {
	if (largeInUse === large.count) return Buffer.allocUnsafeSlow(smallBytes);
	largeInUse += 1;
	return spare.pop() ?? Buffer.allocUnsafeSlow(large.bytes);
}

/**
 * Whether a write's callback means that the system has the bytes. A host's middleware that wraps `write`, and answers without
 * a socket, may keep them longer.
 */
function copiesAtOnce(res: ServerResponse): boolean {
	return res.write === ServerResponse.prototype.write && res.socket instanceof Socket;
}
