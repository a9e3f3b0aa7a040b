import type { DocumentMetadata } from '@plinth/toolkit';
import type { FormatReader } from '../format.ts';
import { decodeHtml } from './charset.ts';
import { openings } from './openings.ts';
import { Page } from './page.ts';
import { readTags } from './tags.ts';

/** Reads HTML and XHTML, whole or a part of one, as the text that a reader sees. */
export const readHtml: FormatReader = async (bytes) => {
	const { text, metadata } = htmlText(decodeHtml(bytes));
	return { mediaType: 'text/html', text, metadata };
};

/** The text of HTML that is decoded already: of a mail, a chapter of a book. */
export function htmlText(html: string): {
	readonly text: string;
	readonly metadata: DocumentMetadata;
} {
	const page = new Page(openings);
	readTags(html, page, { isXhtml: isXhtml(html) });
	const { title, author, created } = page.facts;
	return {
		text: page.flow.finish().join('\n'),
		metadata: {
			...(title !== undefined && { title }),
			...(author !== undefined && { author }),
			...timeOf(created),
		},
	};
}

/** Without this, `<title/>` would hide all that follows it. */
function isXhtml(html: string): boolean {
	return /^\s*<\?xml\b|<html\b[^>]{0,1000}\bxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml/i.test(
		html.slice(0, 4_096),
	);
}

function timeOf(written: string | undefined): { readonly created?: string } {
	const time = /^\d{4}/.test(written ?? '') ? new Date(written ?? '') : undefined;
	return time && !Number.isNaN(time.getTime()) ? { created: time.toISOString() } : {};
}
