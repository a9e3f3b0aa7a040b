import type { DocumentOptions } from '@plinth/toolkit';
import { Budget } from '../../src/formats/budget.ts';
import type { FormatReader } from '../../src/formats/format.ts';

/** Reads a top-level document with one reader. */
export function readWith(reader: FormatReader, document: string | Uint8Array, options: DocumentOptions = {}) {
	const bytes = typeof document === 'string' ? Buffer.from(document) : document;
	return reader(bytes, {
		options,
		budget: new Budget(),
		depth: 0,
		progress() {},
		readInner: () => Promise.reject(new Error('The document contains no other document.')),
	});
}

/** The texts of the pages of a document. */
export async function pagesWith(reader: FormatReader, document: string | Uint8Array) {
	return (await readWith(reader, document)).pages?.map(({ text }) => text);
}
