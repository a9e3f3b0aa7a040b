import { formatBytes } from '../format-bytes.ts';

const intervalMs = { terminal: 200, file: 10_000 } as const;

/** Reports the progress of a copy on standard error: in one line on a terminal, else in a line every ten seconds. */
export class Meter {
	readonly #label: string;
	readonly #total: { readonly count: number; readonly bytes: number } | undefined;
	readonly #startedAt = performance.now();
	#reportedAt = performance.now();
	#count = 0;
	#bytes = 0;

	constructor(label: string, total?: { readonly count: number; readonly bytes: number }) {
		this.#label = label;
		this.#total = total;
	}

	/** Adds to what has been copied. */
	add(count: number, bytes: number): void {
		this.#count += count;
		this.#bytes += bytes;
		const waitMs = process.stderr.isTTY ? intervalMs.terminal : intervalMs.file;
		if (performance.now() - this.#reportedAt < waitMs) return;
		this.#reportedAt = performance.now();
		process.stderr.write(process.stderr.isTTY ? `\r${this.#line()}` : `${this.#line()}\n`);
	}

	/** Writes the last line. */
	end(): void {
		process.stderr.write(`${process.stderr.isTTY ? '\r' : ''}${this.#line()}\n`);
	}

	#line(): string {
		const seconds = Math.max(0.001, (performance.now() - this.#startedAt) / 1000);
		const of = this.#total ? ` of ${this.#total.count.toLocaleString('en')}` : '';
		const ofBytes = this.#total ? ` of ${formatBytes(this.#total.bytes)}` : '';
		const rate = `${formatBytes(this.#bytes / seconds)}/s, ${Math.round(this.#count / seconds).toLocaleString('en')}/s`;
		const count = this.#count.toLocaleString('en');
		return `  ${this.#label.padEnd(15)} ${count}${of}, ${formatBytes(this.#bytes)}${ofBytes}, ${rate}`.padEnd(78);
	}
}
