import { isUtf8 } from 'node:buffer';

/**
 * Tells whether bytes that arrive in chunks are UTF-8 (RFC 3629: no overlong forms, no surrogates). A character may
 * be split between chunks.
 */
export class Utf8Check {
	/** The bytes of a character that goes on in the next chunk: three at most. */
	#begun: Buffer = Buffer.alloc(0);

	/** False as soon as the bytes cannot be UTF-8 any more. */
	push(chunk: Buffer): boolean {
		const bytes = this.#begun.length > 0 ? Buffer.concat([this.#begun, chunk]) : chunk;
		const whole = bytes.length - begunAtEnd(bytes);
		// A copy: the chunk would live on with it.
		this.#begun = Buffer.from(bytes.subarray(whole));
		return isUtf8(bytes.subarray(0, whole));
	}

	/** False when the last character is cut off. */
	end(): boolean {
		return this.#begun.length === 0;
	}
}

/** How many bytes at the end begin a character that is longer than they are. */
function begunAtEnd(bytes: Buffer): number {
	for (let count = 1; count <= Math.min(3, bytes.length); count++) {
		const byte = bytes[bytes.length - count] ?? 0;
		if (byte < 0x80) return 0;
		if (byte >= 0xc0) return characterLength(byte) > count ? count : 0;
	}
	return 0;
}

function characterLength(first: number): number {
	if (first >= 0xf0) return 4;
	return first >= 0xe0 ? 3 : 2;
}
