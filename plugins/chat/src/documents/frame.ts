import { setImmediate as turn } from 'node:timers/promises';
import type { DocumentPart } from '../model.ts';

/** What a frame shows of a document. */
export type Framed = Omit<DocumentPart, 'type' | 'text'> & {
	/** What to say about pages that were left out. */
	readonly notice?: string;
};

/** A document's text between marks that say where it comes from. Nothing in it can be taken for such a mark. */
export async function frameOf({
	filename,
	mediaType,
	pages,
	hasPages,
	pageCount,
	notice,
}: Framed): Promise<string> {
	const count = hasPages ? ` pages="${pageCount}"` : '';
	// Joined by `+`: a long text is not copied until somebody reads it.
	let text = `<file name="${attribute(filename)}" type="${mediaType}"${count}>\n`;
	for (const { page, text: words } of pages) {
		text += hasPages ? `<page number="${page}">\n` : '';
		text += await harmless(words);
		text += hasPages ? '\n</page>\n' : '\n';
	}
	return `${text}${notice ? `<notice>${notice}</notice>\n` : ''}</file>`;
}

/** UTF-16 units that are looked at in one turn of the event loop: a few milliseconds where everything is a mark. */
const sliceLength = 65_536;

/** A document cannot end its frame, nor begin another one. */
async function harmless(text: string): Promise<string> {
	let safe = '';
	for (let at = 0, end = 0; at < text.length; at = end) {
		if (at > 0) await turn();
		// No mark reaches over the next `<`.
		const next = text.indexOf('<', at + sliceLength);
		end = next < 0 ? text.length : next;
		safe += text.slice(at, end).replace(mark, '&lt;');
	}
	return safe;
}

const mark = /<(?=\s*(?:\/\s*)?(?:file|page|notice)\b)/gi;

function attribute(text: string): string {
	return text.replace(/[&"<>]|\p{Cc}/gu, (character) => entities[character] ?? ' ');
}

const entities: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'"': '&quot;',
	'<': '&lt;',
	'>': '&gt;',
};
