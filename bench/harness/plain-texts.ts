import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LiteParse } from '@llamaindex/liteparse';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Reads the pages of a PDF. */
export type PlainReader = (path: string) => Promise<string[]>;

const data = resolve(import.meta.dirname, '../../node_modules/pdfjs-dist');

/** The output of the libraries alone, without Plinth. */
export const plainReaders: Readonly<Record<string, PlainReader>> = {
	'pdf.js': async (path) => {
		const task = getDocument({
			data: new Uint8Array(await readFile(path)),
			verbosity: VerbosityLevel.ERRORS,
			cMapUrl: `${data}/cmaps/`,
			standardFontDataUrl: `${data}/standard_fonts/`,
		});
		const document = await task.promise;
		const pages: string[] = [];
		for (let number = 1; number <= document.numPages; number++) {
			const { items } = await (await document.getPage(number)).getTextContent();
			pages.push(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''));
		}
		await task.destroy();
		return pages;
	},
	LiteParse: async (path) => {
		const engine = new LiteParse({ ocrEnabled: false, quiet: true, outputFormat: 'text' });
		const { pages } = await engine.parse(await readFile(path));
		return pages.map(({ text }) => text);
	},
};
