/** Bytes of text in a row: a character of an Asian charset may begin as `\'82` and end as a plain letter. */
export class ByteRun {
	readonly #bytes = Buffer.allocUnsafe(65_536);
	#length = 0;

	get isEmpty(): boolean {
		return this.#length === 0;
	}

	get isFull(): boolean {
		return this.#length === this.#bytes.length;
	}

	add(byte: number): void {
		this.#bytes[this.#length++] = byte;
	}

	/** Adds as many bytes as fit in and tells their number. */
	addAll(bytes: Uint8Array): number {
		const part = bytes.subarray(0, this.#bytes.length - this.#length);
		this.#bytes.set(part, this.#length);
		this.#length += part.length;
		return part.length;
	}

	/** The bytes so far, valid until the next ones are added; the run is empty then. */
	take(): Buffer {
		const bytes = this.#bytes.subarray(0, this.#length);
		this.#length = 0;
		return bytes;
	}
}
