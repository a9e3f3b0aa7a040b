import type { DocumentOptions } from '@plinth/toolkit';
import { Budget } from '../../../src/formats/budget.ts';
import type { Content, FormatReader, ReadContext } from '../../../src/formats/format.ts';

/** Reads a top-level document. */
export function read(reader: FormatReader, bytes: Uint8Array, options: DocumentOptions = {}): Promise<Content> {
	const context: ReadContext = {
		options,
		budget: new Budget(),
		depth: 0,
		progress() {},
		readInner: async (inner) => ({ mediaType: 'text/plain', text: `inner ${inner.length}` }),
	};
	return reader(bytes, context);
}

/** The text of a document, with pages separated by a line of dashes. */
export async function textOf(reader: FormatReader, bytes: Uint8Array): Promise<string> {
	const { text, pages } = await read(reader, bytes);
	return text ?? pages?.map((page) => page.text).join('\n----\n') ?? '';
}

/** The code of the error, or `none`. */
export async function codeOf(reader: FormatReader, bytes: Uint8Array): Promise<string> {
	try {
		await read(reader, bytes);
		return 'none';
	} catch (error) {
		return (error as { code?: string }).code ?? String(error);
	}
}
