import type { EnginePage, PageRange } from './engine.ts';
import type { LiteParseResult } from './liteparse.ts';
import { openWithPdfJs, type PdfJsDocument } from './pdfjs.ts';
import { isBetter, isSuspicious } from './quality.ts';

/** Pages that are looked at a second time, in a document, and how many of those may bring nothing before we stop. */
const maxLooks = 60;
const maxVain = 8;

/** pdf.js beside the first engine: opened when a page first needs it, never twice. */
export class SecondEngine {
	readonly #bytes: Buffer;
	#document: Promise<PdfJsDocument | undefined> | undefined;
	#looks = 0;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	/** Reads pages again that are empty, garbled, or pictures with some text, and keeps the better ones. */
	async improve(pages: readonly EnginePage[], signal?: AbortSignal): Promise<EnginePage[]> {
		let vain = 0;
		const improved: EnginePage[] = [];
		for (const page of pages) {
			signal?.throwIfAborted();
			const other = vain < maxVain && isSuspicious(page) ? await this.page(page.page) : undefined;
			const wins = other !== undefined && isBetter(other, page);
			if (other) vain = wins ? 0 : vain + 1;
			improved.push(wins ? { ...other, isPicture: page.isPicture } : page);
		}
		return improved;
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

	/** The whole document with pdf.js alone. Throws the engine's own error. */
	async readAll(
		maxPages: number,
		ranges: readonly PageRange[] | undefined,
	): Promise<LiteParseResult> {
		const document = await openWithPdfJs(this.#bytes);
		try {
			const { pageCount } = document;
			const pages: EnginePage[] = [];
			for (let number = 1; number <= Math.min(pageCount, maxPages); number++) {
				if (ranges && !ranges.some(({ first, last }) => number >= first && number <= last))
					continue;
				pages.push(await document.page(number));
			}
			return { pageCount, pages };
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
