/** How much of what a program says on stderr is kept for the log, in characters. */
const tailLength = 1_600;
/** A longer line cannot be one about progress. */
const maxLine = 4_096;

/** Listens to stderr: keeps its end, and passes on lines, which a carriage return ends as well. */
export class StderrReader {
	readonly #onLine: ((line: string) => void) | undefined;
	#tail = '';
	#line = '';

	constructor(onLine: ((line: string) => void) | undefined) {
		this.#onLine = onLine;
	}

	/** The last of it, for the log. */
	get tail(): string {
		return this.#tail.trim();
	}

	/** Takes what has come. */
	add(bytes: Buffer): void {
		const text = bytes.toString('utf8');
		this.#tail = (this.#tail + text).slice(-tailLength);
		if (!this.#onLine) return;
		const lines = (this.#line + text).split(/[\r\n]/);
		this.#line = (lines.pop() ?? '').slice(0, maxLine);
		for (const line of lines) if (line.length <= maxLine) this.#onLine(line);
	}
}
