import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { type DocumentPage, type DocumentReader, type DocumentText, mediaError } from '@plinth/toolkit';

/** A reader that supports text, tables of values, and the PDFs of the suite. */
export const smallReader: DocumentReader = {
	version: 'small',
	async read(document, { pages: ranges } = {}, { signal, progress } = {}) {
		signal?.throwIfAborted();
		const bytes = 'path' in document ? await readFile(document.path) : Buffer.from(document);
		await turn();
		signal?.throwIfAborted();
		const text = contentOf(bytes);
		progress?.(1, 1);
		if (!ranges || !text.pages) return text;
		const isAsked = ({ page }: DocumentPage) => ranges.some(({ first, last }) => page >= first && page <= last);
		return { ...text, pages: text.pages.filter(isAsked) };
	},
};

function contentOf(bytes: Buffer): DocumentText {
	const latin = bytes.toString('latin1');
	if (latin.startsWith('%PDF-')) return pdf(latin);
	if (latin.startsWith('PK')) throw mediaError('E_DOCUMENT_UNREADABLE');
	if (latin.includes('\0')) throw mediaError('E_DOCUMENT_UNSUPPORTED');
	return plain(bytes.toString());
}

function pdf(file: string): DocumentText {
	if (!file.includes('trailer')) throw mediaError('E_DOCUMENT_UNREADABLE');
	if (file.includes('/Encrypt')) throw mediaError('E_DOCUMENT_ENCRYPTED');
	const pages = [...file.matchAll(/stream\n(.*)\nendstream/g)].map(([, content = ''], at) => {
		const lines = [...content.matchAll(/\((.*?)\) Tj/g)].map(([, line = '']) => line);
		return { page: at + 1, text: lines.join('\n'), width: 400, height: 300 };
	});
	const pageCount = pages.length;
	return { mediaType: 'application/pdf', pages, pageCount, truncated: false, metadata: {} };
}

function plain(raw: string): DocumentText {
	const text = raw
		.normalize('NFC')
		.replace(/\r\n?|\f/g, '\n')
		// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
		.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
		.replace(/[ \t]+$/gm, '')
		.replace(/\n{4,}/g, '\n\n\n')
		.trim();
	const isTable = text.split('\n').every((line) => line.split(',').length === 2);
	return {
		mediaType: isTable ? 'text/csv' : 'text/plain',
		text: isTable ? text.replaceAll(',', '\t') : text,
		truncated: false,
		metadata: {},
	};
}
