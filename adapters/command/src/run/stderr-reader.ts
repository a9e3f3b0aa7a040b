/** Length of the end of stderr that is kept for the log, in characters. */
const tailLength = 1_600;
/** Maximum length of a progress line. */
const maxLine = 4_096;

/** Keeps the end of stderr and emits its lines, which may also end with a carriage return. */
export class StderrReader {
	readonly #onLine: ((line: string) => void) | undefined;
	#tail = '';
	#line = '';

	constructor(onLine: ((line: string) => void) | undefined) {
		this.#onLine = onLine;
	}

	/** The end of stderr, for the log. */
	get tail(): string {
		return this.#tail.trim();
	}

	/** Adds output. */
	add(bytes: Buffer): void {
		const text = bytes.toString('utf8');
		this.#tail = (this.#tail + text).slice(-tailLength);
		if (!this.#onLine) return;
		const lines = (this.#line + text).split(/[\r\n]/);
		this.#line = (lines.pop() ?? '').slice(0, maxLine);
		for (const line of lines) if (line.length <= maxLine) this.#onLine(line);
	}
}
