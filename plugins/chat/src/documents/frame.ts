import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DocumentPart } from '../model.ts';

/** The content of a frame. */
export type FrameContent = Omit<DocumentPart, 'type' | 'text'> & {
	/** A notice about omitted pages. */
	readonly notice?: string;
};

/** Wraps a document's text in tags with its name and type. The text cannot contain such tags. */
export async function frameOf({
	filename,
	mediaType,
	pages,
	hasPages,
	pageCount,
	notice,
}: FrameContent): Promise<string> {
	const count = hasPages ? ` pages="${pageCount}"` : '';
	// Joined by `+`: V8 does not copy the text until it is read.
	let text = `<file name="${attribute(filename)}" type="${mediaType}"${count}>\n`;
	for (const { page, text: content } of pages) {
		text += hasPages ? `<page number="${page}">\n` : '';
		text += await escapeFrameTags(content);
		text += hasPages ? '\n</page>\n' : '\n';
	}
	return `${text}${notice ? `<notice>${notice}</notice>\n` : ''}</file>`;
}

/** UTF-16 units processed per tick of the event loop: a few milliseconds in the worst case. */
const sliceLength = 65_536;

/** Escapes frame tags, so that a document can neither close its frame nor open another. */
async function escapeFrameTags(text: string): Promise<string> {
	let safe = '';
	for (let start = 0, end = 0; start < text.length; start = end) {
		if (start > 0) await yieldToEventLoop();
		// No tag spans the next `<`.
		const next = text.indexOf('<', start + sliceLength);
		end = next < 0 ? text.length : next;
		safe += text.slice(start, end).replace(frameTag, '&lt;');
	}
	return safe;
}

const frameTag = /<(?=\s*(?:\/\s*)?(?:file|page|notice)\b)/gi;

function attribute(text: string): string {
	return text.replace(/[&"<>]|\p{Cc}/gu, (character) => entities[character] ?? ' ');
}

const entities: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'"': '&quot;',
	'<': '&lt;',
	'>': '&gt;',
};
