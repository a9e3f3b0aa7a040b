import type { Source } from './library/portions.ts';
import type { Unit } from './text/units.ts';

/** A passage of a document, word for word. */
export interface Quote {
	readonly file: string;
	/** Absent for formats without pages. */
	readonly page?: number;
	readonly text: string;
}

/** What is answered. */
export interface Answer {
	/** Everything, as it is read. */
	readonly text: string;
	/** The shortest form of it: a value or a sentence. Absent when nothing was found. */
	readonly brief?: string;
	readonly quotes: readonly Quote[];
	/** What the caller should know beside the answer. */
	readonly warnings?: readonly string[];
}

/** The quote of one unit. */
export function quoteOf({ document, page, text }: Unit, sources: readonly Source[]): Quote {
	const source = sources[document];
	return { file: source?.filename ?? '', ...(source?.hasPages && { page }), text };
}

/** A passage in quotation marks with where it stands. */
export function quoted(quote: Quote): string {
	return `${inMarks(quote.text)} ${citation(quote)}`;
}

/** Where something stands: `(report.pdf, page 3)`, or `(notes.txt)`. */
export function citation({ file, page }: Pick<Quote, 'file' | 'page'>): string {
	return page === undefined ? `(${file})` : `(${file}, page ${page})`;
}

/** One of several wordings, by the seed: equal seeds choose equally. */
export function choose<T>(options: readonly [T, ...T[]], seed: number): T {
	return options[seed % options.length] ?? options[0];
}

/** `one, two and three`. */
export function enumerate(items: readonly string[]): string {
	return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** `1 page`, `3 pages`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
	return `${count} ${count === 1 ? noun : plural}`;
}

function inMarks(text: string): string {
	return /[“”]/.test(text) && !text.includes('"') ? `"${text}"` : `“${text}”`;
}
