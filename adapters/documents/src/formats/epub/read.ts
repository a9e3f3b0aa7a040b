import type { DocumentPage } from '@plinth/toolkit';
import { documentError } from '../../refusal.ts';
import { type Archive, openArchive } from '../../zip/archive.ts';
import type { FormatReader } from '../format.ts';
import { decodeHtml } from '../html/charset.ts';
import { htmlText } from '../html/read.ts';
import { isAsked, refuseBeyond } from '../pages.ts';
import { readBook } from './book.ts';
import { lockedFiles } from './locks.ts';

/** Reads a book: each chapter of its reading order is a page. A chapter whose file is missing is an empty one. */
export const readEpub: FormatReader = async (bytes, { budget, options, progress }) => {
	const archive = await openArchive(bytes, budget);
	const { chapters, metadata } = await readBook(archive);
	refuseBeyond(chapters.length);
	await refuseLocked(archive, chapters);
	const pages: DocumentPage[] = [];
	for (const [index, chapter] of chapters.entries()) {
		const page = index + 1;
		if (!isAsked(page, options)) continue;
		const content = chapter === undefined ? undefined : await archive.read(chapter);
		pages.push({
			page,
			text: content && isMarkup(content) ? htmlText(decodeHtml(content)).text : '',
		});
		progress(page, chapters.length);
	}
	return { mediaType: 'application/epub+zip', pages, pageCount: chapters.length, metadata };
};

async function refuseLocked(archive: Archive, chapters: readonly (string | undefined)[]): Promise<void> {
	const locked = await lockedFiles(archive);
	if (!chapters.some((chapter) => chapter !== undefined && locked.has(chapter))) return;
	throw documentError('E_DOCUMENT_ENCRYPTED', {
		message: 'The book is protected against copying.',
	});
}

/** A chapter may be a picture or a PDF, which is no text. */
function isMarkup(content: Buffer): boolean {
	const start = content.subarray(0, 256).toString('latin1');
	return /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*</.test(start);
}
