/** Reads a stream: first byte counts that the caller chooses, then the rest in chunks of any size. */
export class ByteReader {
	readonly #source: AsyncIterator<Buffer>;
	#held: Buffer = Buffer.alloc(0);

	constructor(source: AsyncIterable<Buffer>) {
		this.#source = source[Symbol.asyncIterator]();
	}

	/** Returns the next bytes without consuming them; fewer at the end of the stream. */
	async peek(length: number): Promise<Buffer> {
		while (this.#held.length < length) {
			const step = await this.#source.next();
			if (step.done) break;
			this.#held = Buffer.concat([this.#held, step.value]);
		}
		return this.#held.subarray(0, length);
	}

	/** Consumes the next bytes; fewer at the end of the stream. */
	async take(length: number): Promise<Buffer> {
		const bytes = await this.peek(length);
		this.#held = this.#held.subarray(bytes.length);
		return bytes;
	}

	/** Consumes the rest, at most `most` bytes, in multiples of `frame` bytes. An incomplete last frame is dropped. */
	async *rest(most = Number.POSITIVE_INFINITY, frame = 1): AsyncGenerator<Buffer> {
		let left = most;
		try {
			for (;;) {
				const usable = Math.min(this.#held.length, left);
				const whole = usable - (usable % frame);
				if (whole > 0) {
					const piece = this.#held.subarray(0, whole);
					this.#held = this.#held.subarray(whole);
					left -= whole;
					yield piece;
				}
				if (left < frame) return;
				const step = await this.#source.next();
				if (step.done) return;
				this.#held = this.#held.length === 0 ? step.value : Buffer.concat([this.#held, step.value]);
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
