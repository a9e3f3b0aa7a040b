import type { PageRange } from '@plinth/toolkit';
import type { Batch, EnginePage } from './engine.ts';
import { openWithPdfJs, type PdfJsDocument } from './pdfjs.ts';
import { isBetter, isSuspicious } from './quality.ts';
import { merged, numbersIn } from './ranges.ts';

/** Pages that are looked at a second time, in a document, and how many of those may bring nothing before we stop. */
const maxLooks = 60;
const maxVain = 8;

/** pdf.js beside the first engine: opened when a page first needs it, never twice. */
export class SecondEngine {
	readonly #bytes: Buffer;
	#document: Promise<PdfJsDocument | undefined> | undefined;
	#looks = 0;
	#vain = 0;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	/** Reads a page again that is empty, garbled, or a picture with some text, and keeps the better one. */
	async improved(page: EnginePage): Promise<EnginePage> {
		const other = this.#vain < maxVain && isSuspicious(page) ? await this.page(page.page) : undefined;
		if (!other) return page;
		const wins = isBetter(other, page);
		this.#vain = wins ? 0 : this.#vain + 1;
		return wins ? { ...other, isPicture: page.isPicture } : page;
	}

	/** A page as pdf.js reads it; undefined when it cannot, or has been asked often enough. */
	async page(number: number): Promise<EnginePage | undefined> {
		if (this.#looks >= maxLooks) return undefined;
		this.#looks += 1;
		try {
			const document = await this.#open();
			return await document?.page(number);
		} catch {
			// The first engine's page stands.
			return undefined;
		}
	}

	/** The document with pdf.js alone, page by page. Throws the engine's own error. */
	async *readAll(maxPages: number, ranges: readonly PageRange[] | undefined): AsyncGenerator<Batch> {
		const document = await openWithPdfJs(this.#bytes);
		try {
			const { pageCount } = document;
			const all = merged(ranges ?? [{ first: 1, last: maxPages }], pageCount);
			if (all.length === 0) yield { pageCount, pages: [] };
			for (const number of numbersIn(all)) yield { pageCount, pages: [await document.page(number)] };
		} finally {
			await document.close();
		}
	}

	/** Frees what is open. */
	async close(): Promise<void> {
		await (await this.#document)?.close();
	}

	#open(): Promise<PdfJsDocument | undefined> {
		this.#document ??= openWithPdfJs(this.#bytes).catch(() => undefined);
		return this.#document;
	}
}
