import type { DocumentPage } from '@plinth/toolkit';
import { documentError, type Refusal } from '../../refusal.ts';
import { openArchive } from '../../zip/archive.ts';
import type { FormatReader } from '../format.ts';
import { innerText, innerTitle } from '../inner.ts';
import { isRequested } from '../pages.ts';

/** Files that some systems add to every archive. */
const systemFile = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$)/i;

/**
 * Reads the files of a zip archive, a page for each, in the order of its directory. The page of a file that cannot be
 * read has the reason. The archive is refused if none of its files can be read, or if one of them is too large.
 */
export const readZip: FormatReader = async (bytes, context) => {
	if (context.depth > 0) {
		throw documentError('E_DOCUMENT_UNSUPPORTED', { message: 'An archive within another file is not opened.' });
	}
	const archive = await openArchive(bytes, context.budget);
	const members = archive.entries.filter(({ name }) => !systemFile.test(name));
	const pages: DocumentPage[] = [];
	const refusals: Refusal[] = [];
	for (const [at, { name, read }] of members.entries()) {
		if (!isRequested(at + 1, context.options)) continue;
		const { text, refusal } = await innerText(context, read);
		if (refusal?.code === 'E_DOCUMENT_TOO_LARGE') throw refusal;
		if (refusal) refusals.push(refusal);
		pages.push({ page: at + 1, text: `${innerTitle(name)}\n${text}` });
		context.progress(at + 1, members.length);
	}
	if (refusals[0] && refusals.length === pages.length) throw refusals[0];
	return { mediaType: 'application/zip', pages, pageCount: members.length };
};
