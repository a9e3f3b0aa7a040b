import { createHash } from 'node:crypto';
import { type PutBlobOptions, plinthError, untilAborted } from '@plinth/core';

/** The body of a put: counts and hashes the bytes that are read, within the limits of the put. */
export class Source {
	readonly #body: Uint8Array | AsyncIterable<Uint8Array>;
	readonly #options: PutBlobOptions;
	readonly #hash = createHash('sha256');
	/** The number of bytes, if it is known before the body is read. */
	readonly knownSize: number | undefined;
	/** Why reading failed. It is the cause of all later failures of the put. */
	failure: { readonly error: unknown } | undefined;
	/** Bytes read so far. */
	size = 0;

	constructor(body: Uint8Array | AsyncIterable<Uint8Array>, options: PutBlobOptions) {
		this.#body = body;
		this.#options = options;
		this.knownSize = options.size ?? options.file?.size ?? (body instanceof Uint8Array ? body.length : undefined);
	}

	/** Copies of the bytes, because the producer may reuse the memory of a chunk. */
	async *chunks(): AsyncGenerator<Buffer> {
		const { maxBytes = Number.POSITIVE_INFINITY, signal } = this.#options;
		try {
			for await (const chunk of untilAborted(this.#body, signal)) {
				this.size += chunk.length;
				if (this.size > maxBytes) throw plinthError('E_BODY_TOO_LARGE');
				if (this.size > (this.knownSize ?? this.size)) throw this.#mismatch();
				this.#hash.update(chunk);
				yield Buffer.from(chunk);
			}
			if (this.size !== (this.knownSize ?? this.size)) throw this.#mismatch();
		} catch (error) {
			this.failure = { error };
			throw error;
		}
	}

	/** Call it once, after all bytes were read. */
	sha256(): string {
		return this.#hash.digest('hex');
	}

	#mismatch(): Error {
		return new Error(`The body has ${this.size} bytes or more, not ${this.knownSize}.`);
	}
}
