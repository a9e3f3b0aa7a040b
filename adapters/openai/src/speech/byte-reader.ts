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

	/** Consumes the rest, at most `maxBytes`. */
	async *rest(maxBytes = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
		let remaining = maxBytes;
		let piece = this.#buffered;
		try {
			for (;;) {
				if (piece.length > 0) yield piece.subarray(0, remaining);
				remaining -= piece.length;
				if (remaining <= 0) return;
				const step = await this.#source.next();
				if (step.done) return;
				piece = step.value;
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
