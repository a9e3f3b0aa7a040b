import type { Writable } from 'node:stream';

/** What a process and its children send each other: some JSON, and bytes that stay as they are. */
export interface Frame {
	readonly header: unknown;
	/** Memory of its own. */
	readonly body: Buffer;
}

/** More would not be the other side's doing: bodies are files and pictures. */
const maxLength = 268_435_456;
/** JSON is parsed at once, so no more of it is taken than a loop can bear. */
const maxHeader = 16_777_216;

const empty = new Uint8Array(0);

/** Sends a frame: the lengths of header and body, 32 bits each, and the two. `done` is called when all of it has left. */
export function writeFrame(
	to: Writable,
	header: unknown,
	body: Uint8Array = empty,
	done: () => void = () => {},
): void {
	const json = Buffer.from(JSON.stringify(header));
	const lengths = Buffer.alloc(8);
	lengths.writeUInt32BE(json.byteLength);
	lengths.writeUInt32BE(body.byteLength, 4);
	to.write(Buffer.concat([lengths, json]));
	to.write(body, done);
}

/**
 * The frames of a stream until its end. Bytes are copied once, into the body, and the stream's own chunks are freed. Throws on lengths
 * that nobody sends.
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

/** Takes bytes from the front of a stream; nothing when it ends before. */
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

/** Frees a chunk that has memory of its own. Left to the collector, large bodies would take twice their size until it comes by. */
function free({ byteLength, buffer }: Uint8Array): void {
	const isOwn = byteLength >= 16_384 && byteLength === buffer.byteLength;
	if (isOwn && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
