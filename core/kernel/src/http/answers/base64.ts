import { randomUUID } from 'node:crypto';
import type { Base64 } from '../../contract/http/reply.ts';
import { httpLimits } from '../limits.ts';

/**
 * Makes a value for any place of a JSON reply or of a server-sent event: clients read the base64 text of the bytes
 * (RFC 4648 §4, with padding). The kernel writes it in slices while the client reads, so that it never lies in memory
 * whole. The bytes must stay as they are until the answer has been sent.
 */
export function base64(bytes: Uint8Array): Base64 {
	return new SlicedBytes(bytes);
}

/** Serializes like `JSON.stringify`, or as `null`. With a {@link Base64} in it the text comes in pieces. */
export function jsonText(value: unknown): string | JsonPieces {
	const bytes: Buffer[] = [];
	const text = withPlaceholders(bytes, () => JSON.stringify(value) ?? 'null');
	if (bytes.length === 0) return text;
	// Texts and numbers of placeholders in turn.
	const parts = text.split(new RegExp(`${nonce}-(\\d+);`));
	return new JsonPieces(parts.map((part, index) => (index % 2 === 0 ? part : (bytes[Number(part)] as Buffer))));
}

/** A value as clients read it, with a short text for each {@link Base64}. */
export function wireForm(value: unknown): unknown {
	return withPlaceholders([], () => JSON.parse(JSON.stringify(value) ?? 'null'));
}

/** Runs `serialize`, which is synchronous, with a placeholder for each {@link Base64}; their bytes go to `bytes`. */
function withPlaceholders<T>(bytes: Buffer[], serialize: () => T): T {
	replaced = bytes;
	try {
		return serialize();
	} finally {
		replaced = undefined;
	}
}

/** A JSON text that is made while it is written. */
export class JsonPieces {
	readonly #parts: readonly (string | Buffer)[];

	/** Strings stand for themselves, bytes for their base64 text. */
	constructor(parts: readonly (string | Buffer)[]) {
		this.#parts = parts;
	}

	/** The length of the whole text in bytes. */
	get byteLength(): number {
		const lengths = this.#parts.map((part) =>
			typeof part === 'string' ? Buffer.byteLength(part) : Math.ceil(part.length / 3) * 4,
		);
		return lengths.reduce((sum, length) => sum + length, 0);
	}

	/** The same with more text around it. */
	between(before: string, after: string): JsonPieces {
		return new JsonPieces([before, ...this.#parts, after]);
	}

	/** The text in UTF-8, in pieces that can be written each within a bounded time. Each has memory of its own. */
	*pieces(): Generator<Buffer> {
		let waiting: Buffer[] = [];
		let size = 0;
		// Many short ones would otherwise be as many trips to the socket.
		for (const slice of slicesOf(this.#parts)) {
			if (size + slice.length > httpLimits.pieceBytes) {
				yield joined(waiting, size);
				waiting = [];
				size = 0;
			}
			waiting.push(slice);
			size += slice.length;
		}
		yield joined(waiting, size);
	}
}

/** Most pieces are one slice; it is not copied where its memory is its own already. */
function joined(slices: readonly Buffer[], size: number): Buffer {
	const [first] = slices;
	return first?.buffer.byteLength === size ? first : Buffer.concat(slices, size);
}

/** Bytes of one slice of base64: a multiple of three, so that only the last slice is padded. */
const sliceBytes = (httpLimits.pieceBytes / 4) * 3;

function* slicesOf(parts: readonly (string | Buffer)[]): Generator<Buffer> {
	for (const part of parts) {
		const step = typeof part === 'string' ? httpLimits.pieceBytes : sliceBytes;
		const bytes = typeof part === 'string' ? Buffer.from(part) : part;
		for (let at = 0; at < bytes.length; at += step) {
			const slice = bytes.subarray(at, at + step);
			yield typeof part === 'string' ? slice : Buffer.from(slice.toString('base64'), 'latin1');
		}
	}
}

/** No client sees it, so no other string of a text looks like a placeholder. */
const nonce = `plinth-base64-${randomUUID()}`;

/** The bytes of the text that is being serialized in pieces. */
let replaced: Buffer[] | undefined;

class SlicedBytes implements Base64 {
	readonly $kind = 'plinth.base64';
	readonly #bytes: Buffer;

	constructor(bytes: Uint8Array) {
		this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	}

	toJSON(): string {
		return replaced ? `${nonce}-${replaced.push(this.#bytes) - 1};` : this.#bytes.toString('base64');
	}
}
