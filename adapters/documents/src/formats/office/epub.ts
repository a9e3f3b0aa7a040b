import { documentError } from '../../refusal.ts';
import type { FormatReader } from '../format.ts';
import { pagesContent, refuseBeyond } from '../pages.ts';
import { shownHtml } from './html.ts';
import { metadataIn, parseOffice, readParts, zipped } from './parts.ts';
import { writeNodes } from './write.ts';

/** A private-use character that marks the start of a chapter, because the library joins chapters. */
const chapterMark = '\uE00B';

/** Reads a book: each existing chapter of the reading order is a page. */
export const readEpub: FormatReader = async (bytes, context) => {
	const parts = await readParts(bytes, context);
	for (const [name, content] of Object.entries(parts)) {
		if (/\.(?:x?html?|xht)$/i.test(name)) parts[name] = Buffer.from(marked(shownHtml(content)));
	}
	const ast = await parseOffice(zipped(parts), 'epub');
	if (ast.warnings.some(({ message }) => /encrypted/.test(message))) {
		throw documentError('E_DOCUMENT_ENCRYPTED', { message: 'The book is protected against copying.' });
	}
	const text = writeNodes(ast.content, { isMarkdown: context.options.format === 'markdown' }).join('\n\n');
	const [, ...pages] = text.split(chapterMark).map((page) => page.trim());
	refuseBeyond(pages.length);
	return { mediaType: 'application/epub+zip', ...pagesContent(pages, context.options), metadata: metadataIn(ast) };
};

/** The byte order mark makes the library use UTF-8, whatever charset the file declares. */
function marked(html: string): string {
	const body = /<body\b[^>]*>/i.exec(html);
	const at = body ? body.index + body[0].length : html.search(/<(?!\?|!)/);
	return `\uFEFF${html.slice(0, at)}<p>${chapterMark}</p>${html.slice(at)}`;
}
