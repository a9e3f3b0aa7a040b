import { createHash } from 'node:crypto';
import { type PutBlobOptions, plinthError, untilAborted } from '@plinth/core';

/** The body of a put: counts and digests what is read of it, within the limits of the put. */
export class Source {
	readonly #body: Uint8Array | AsyncIterable<Uint8Array>;
	readonly #options: PutBlobOptions;
	readonly #hash = createHash('sha256');
	/** Its bytes, where they were told. */
	readonly told: number | undefined;
	/** Why reading failed: the reason of everything that fails after it. */
	failure: { readonly error: unknown } | undefined;
	/** Bytes read so far. */
	size = 0;

	constructor(body: Uint8Array | AsyncIterable<Uint8Array>, options: PutBlobOptions) {
		this.#body = body;
		this.#options = options;
		this.told = options.size ?? options.file?.size ?? (body instanceof Uint8Array ? body.length : undefined);
	}

	/** The bytes, in memory of their own: the owner of a chunk may use it again. */
	async *chunks(): AsyncGenerator<Buffer> {
		const { maxBytes = Number.POSITIVE_INFINITY, signal } = this.#options;
		try {
			for await (const chunk of untilAborted(this.#body, signal)) {
				this.size += chunk.length;
				if (this.size > maxBytes) throw plinthError('E_BODY_TOO_LARGE');
				if (this.size > (this.told ?? this.size)) throw this.#mismatch();
				this.#hash.update(chunk);
				yield Buffer.from(chunk);
			}
			if (this.size !== (this.told ?? this.size)) throw this.#mismatch();
		} catch (error) {
			this.failure = { error };
			throw error;
		}
	}

	/** Once, when all was read. */
	sha256(): string {
		return this.#hash.digest('hex');
	}

	#mismatch(): Error {
		return new Error(`The body has ${this.size} bytes or more, not ${this.told}.`);
	}
}
