import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { isReusableBody } from '../../contract/ports/blob-store.ts';
import { isUnwrapped } from './send.ts';

const bufferBytes = 524_288;

const spare: Buffer[] = [];
const maxSpare = 32;

/**
 * Reads a body into one reused buffer, because memory allocation is most of the cost of a download. A chunk is valid
 * until the next call. Undefined if the body cannot do that or the response goes to no socket: iterate the body then.
 */
export function readPooled(body: AsyncIterable<Uint8Array>, res: ServerResponse) {
	// A `write` that a host has wrapped, or a response without a socket, may keep the bytes after its callback.
	const writesToSocket = isUnwrapped(res) && res.socket instanceof Socket;
	if (!isReusableBody(body) || !writesToSocket) return undefined;
	const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
	return {
		async next(): Promise<IteratorResult<Uint8Array, undefined>> {
			const length = await body.readInto(buffer);
			return length === 0 ? { done: true, value: undefined } : { done: false, value: buffer.subarray(0, length) };
		},
		/** Closes the body. The buffer is not reused: after an abort the disk or the socket may still use it. */
		async return(): Promise<IteratorReturnResult<undefined>> {
			await body[Symbol.asyncIterator]().return?.();
			return { done: true, value: undefined };
		},
		/** Keeps the buffer for another body. To be called when everything has been read and written. */
		finish() {
			if (spare.length < maxSpare) spare.push(buffer);
		},
	};
}
