import type { DocumentPage } from '@plinth/toolkit';
import { documentError, type Refusal } from '../../refusal.ts';
import { openArchive } from '../../zip/archive.ts';
import type { FormatReader } from '../format.ts';
import { innerText, innerTitle } from '../inner.ts';
import { isAsked } from '../pages.ts';

/**
 * Reads the files of a zip archive, a page for each, in the order of its directory. A file that cannot be read has a line that says why;
 * if that goes for all of them, or one of them is too large, the archive is refused. Archives within archives are named and not opened.
 */
export const readZip: FormatReader = async (bytes, context) => {
	if (context.depth > 0) {
		throw documentError('E_DOCUMENT_UNSUPPORTED', {
			message: 'An archive within another file is not opened.',
		});
	}
	const archive = await openArchive(bytes, context.budget);
	const members = archive.entries.filter(({ name }) => !isLeftover(name));
	const pages: DocumentPage[] = [];
	let refusal: Refusal | undefined;
	let isRead = false;
	for (const [at, { name }] of members.entries()) {
		if (!isAsked(at + 1, context.options)) continue;
		const inner = await innerText(context, () => archive.read(name));
		if (inner.refusal?.code === 'E_DOCUMENT_TOO_LARGE') throw inner.refusal;
		refusal ??= inner.refusal;
		isRead ||= inner.refusal === undefined;
		pages.push({ page: at + 1, text: `${innerTitle(name)}\n${inner.text}` });
		context.progress(at + 1, members.length);
	}
	if (refusal && !isRead) throw refusal;
	return { mediaType: 'application/zip', pages, pageCount: members.length };
};

/** What some systems add to every archive. */
function isLeftover(name: string): boolean {
	return /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$)/i.test(name);
}
