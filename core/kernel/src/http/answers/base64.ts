import { randomUUID } from 'node:crypto';
import type { Base64 } from '../../contract/http/reply.ts';
import { httpLimits } from '../limits.ts';

/**
 * Makes a value for any place of a JSON reply or of a server-sent event: clients read the base64 text of the bytes
 * (RFC 4648 §4, with padding). The kernel writes the text in slices while the client reads, so that the whole text is
 * never in memory. The bytes must not change until the response has been sent.
 */
export function base64(bytes: Uint8Array): Base64 {
	const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return {
		$kind: 'plinth.base64',
		toJSON: () => (replaced ? `${nonce}-${replaced.push(own) - 1};` : own.toString('base64')),
	};
}

/** Serializes like `JSON.stringify`, but `undefined` as `null`. A value with a {@link Base64} becomes pieces. */
export function jsonText(value: unknown): string | JsonPieces {
	const bytes: Buffer[] = [];
	const text = withPlaceholders(bytes, () => JSON.stringify(value) ?? 'null');
	if (bytes.length === 0) return text;
	// Texts and the numbers of placeholders alternate.
	const parts = text.split(new RegExp(`${nonce}-(\\d+);`));
	return new JsonPieces(parts.map((part, index) => (index % 2 === 0 ? part : (bytes[Number(part)] as Buffer))));
}

/** The value that clients parse, but with a short text for each {@link Base64}. */
export function wireForm(value: unknown): unknown {
	return withPlaceholders([], () => JSON.parse(JSON.stringify(value) ?? 'null'));
}

/** Runs the synchronous `serialize` with a placeholder for each {@link Base64}, whose bytes are added to `bytes`. */
function withPlaceholders<T>(bytes: Buffer[], serialize: () => T): T {
	replaced = bytes;
	try {
		return serialize();
	} finally {
		replaced = undefined;
	}
}

/** A JSON text that is generated while it is written. */
export class JsonPieces {
	readonly #parts: readonly (string | Buffer)[];

	/** The parts of the text in order. Bytes are written as their base64 text. */
	constructor(parts: readonly (string | Buffer)[]) {
		this.#parts = parts;
	}

	get byteLength(): number {
		const lengths = this.#parts.map((part) =>
			typeof part === 'string' ? Buffer.byteLength(part) : Math.ceil(part.length / 3) * 4,
		);
		return lengths.reduce((sum, length) => sum + length, 0);
	}

	between(before: string, after: string): JsonPieces {
		return new JsonPieces([before, ...this.#parts, after]);
	}

	/** The text in UTF-8, in pieces that can be written each within a bounded time. Each has memory of its own. */
	*pieces(): Generator<Buffer> {
		let gathered: Buffer[] = [];
		let size = 0;
		// Short slices are joined, because each piece is one write to the socket.
		for (const slice of slicesOf(this.#parts)) {
			if (size + slice.length > httpLimits.pieceBytes) {
				yield joined(gathered);
				[gathered, size] = [[], 0];
			}
			gathered.push(slice);
			size += slice.length;
		}
		yield joined(gathered);
	}
}

const joined = (slices: readonly Buffer[]) => (slices.length === 1 ? (slices[0] as Buffer) : Buffer.concat(slices));

/** Bytes of a slice. A multiple of three, so that only the last slice of a base64 text is padded. */
const sliceBytes = (httpLimits.pieceBytes / 4) * 3;

function* slicesOf(parts: readonly (string | Buffer)[]): Generator<Buffer> {
	for (const part of parts) {
		const bytes = typeof part === 'string' ? Buffer.from(part) : part;
		for (let at = 0; at < bytes.length; at += sliceBytes) {
			const slice = bytes.subarray(at, at + sliceBytes);
			yield typeof part === 'string' ? slice : Buffer.from(slice.toString('base64'), 'latin1');
		}
	}
}

/** Random and never sent to clients, so that no other string of a text looks like a placeholder. */
const nonce = `plinth-base64-${randomUUID()}`;

/** The bytes that placeholders replace in the text that is being serialized; undefined: base64 is written in place. */
let replaced: Buffer[] | undefined;
