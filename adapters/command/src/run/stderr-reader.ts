/** Length of the end of stderr that is kept for the log, in characters. */
const tailLength = 1_600;
/** Maximum length of a progress line. */
const maxLine = 4_096;

/** Keeps the end of stderr and emits its lines, which may also end with a carriage return. */
export class StderrReader {
	/** The end of stderr, for the log. */
	tail = '';
	#line = '';

	/** Adds output. `onLine` receives its complete lines. */
	add(bytes: Buffer, onLine: ((line: string) => void) | undefined): void {
		const text = bytes.toString('utf8');
		this.tail = (this.tail + text).slice(-tailLength);
		if (!onLine) return;
		const lines = (this.#line + text).split(/[\r\n]/);
		this.#line = (lines.pop() ?? '').slice(0, maxLine);
		for (const line of lines) if (line.length <= maxLine) onLine(line);
	}
}
