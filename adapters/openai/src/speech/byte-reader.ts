/** Reads a stream: first byte counts that the caller chooses, then the rest in chunks of any size. */
export class ByteReader {
	readonly #source: AsyncIterator<Buffer>;
	#buffered: Buffer = Buffer.alloc(0);

	constructor(source: AsyncIterable<Buffer>) {
		this.#source = source[Symbol.asyncIterator]();
	}

	/** Returns the next bytes without consuming them; fewer at the end of the stream. */
	async peek(length: number): Promise<Buffer> {
		while (this.#buffered.length < length) {
			const step = await this.#source.next();
			if (step.done) break;
			this.#buffered = Buffer.concat([this.#buffered, step.value]);
		}
		return this.#buffered.subarray(0, length);
	}

	/** Consumes the next bytes; fewer at the end of the stream. */
	async read(length: number): Promise<Buffer> {
		const bytes = await this.peek(length);
		this.#buffered = this.#buffered.subarray(bytes.length);
		return bytes;
	}

	/** Consumes the rest, at most `maxBytes`, in multiples of `frame` bytes. An incomplete last frame is dropped. */
	async *rest(maxBytes = Number.POSITIVE_INFINITY, frame = 1): AsyncGenerator<Buffer> {
		let remaining = maxBytes;
		try {
			for (;;) {
				const usable = Math.min(this.#buffered.length, remaining);
				const complete = usable - (usable % frame);
				if (complete > 0) {
					const piece = this.#buffered.subarray(0, complete);
					this.#buffered = this.#buffered.subarray(complete);
					remaining -= complete;
					yield piece;
				}
				if (remaining < frame) return;
				const step = await this.#source.next();
				if (step.done) return;
				this.#buffered = this.#buffered.length === 0 ? step.value : Buffer.concat([this.#buffered, step.value]);
			}
		} finally {
			await this.close();
		}
	}

	/** Stops reading. */
	async close(): Promise<void> {
		await this.#source.return?.();
	}
}
