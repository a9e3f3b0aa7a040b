import type { Writable } from 'node:stream';

/** A message between a process and its child: JSON, and bytes that are passed as they are. */
export interface Frame {
	readonly header: unknown;
	/** Not shared with other buffers. */
	readonly body: Buffer;
}

/** Maximum body length. A larger one is invalid: bodies are files and pictures. */
const maxLength = 268_435_456;
/** Maximum header length, because JSON is parsed synchronously. */
const maxHeader = 16_777_216;

const empty = new Uint8Array(0);

/** Writes a frame: the lengths of header and body, 32 bits each, then both. Calls `done` when all of it was written. */
export function writeFrame(to: Writable, header: unknown, body: Uint8Array = empty, done: () => void = () => {}): void {
	const json = Buffer.from(JSON.stringify(header));
	const lengths = Buffer.alloc(8);
	lengths.writeUInt32BE(json.byteLength);
	lengths.writeUInt32BE(body.byteLength, 4);
	to.write(Buffer.concat([lengths, json]));
	to.write(body, done);
}

/**
 * Reads the frames of a stream until its end. Bytes are copied once, into the body, and the chunks are
 * freed. Throws on invalid lengths.
 */
export async function* readFrames(from: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
	const take = taker(from);
	for (;;) {
		const lengths = await take(8, 8);
		const json = lengths && (await take(lengths.readUInt32BE(), maxHeader));
		const body = json && (await take(lengths.readUInt32BE(4), maxLength));
		if (!body) return;
		yield { header: JSON.parse(json.toString()), body };
	}
}

/** Reads exactly `length` bytes; undefined when the stream ends before. */
function taker(from: AsyncIterable<Uint8Array>) {
	const chunks = from[Symbol.asyncIterator]();
	let chunk: Uint8Array = empty;
	let at = 0;
	return async (length: number, max: number): Promise<Buffer | undefined> => {
		if (length > max) throw new RangeError(`A frame of ${length} bytes is too long.`);
		const taken = Buffer.allocUnsafeSlow(length);
		for (let filled = 0; filled < length; ) {
			if (at === chunk.byteLength) {
				free(chunk);
				const next = await chunks.next();
				if (next.done) return undefined;
				[chunk, at] = [next.value, 0];
			}
			const part = chunk.subarray(at, at + length - filled);
			taken.set(part, filled);
			filled += part.byteLength;
			at += part.byteLength;
		}
		return taken;
	};
}

/**
 * Frees a chunk that owns its memory. Until the next garbage collection, large bodies would otherwise take
 * twice their size.
 */
function free({ byteLength, buffer }: Uint8Array): void {
	const isOwn = byteLength >= 16_384 && byteLength === buffer.byteLength;
	if (isOwn && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
