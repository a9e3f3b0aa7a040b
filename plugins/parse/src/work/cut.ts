import { setImmediate as turn } from 'node:timers/promises';
import type { DocumentPage, DocumentText } from '@plinth/toolkit';

/** The length of all texts together, in UTF-16 units. */
export function lengthOf({ pages, text = '' }: DocumentText): number {
	return pages?.reduce((sum, page) => sum + page.text.length, 0) ?? text.length;
}

/** The same document with at most `most` UTF-16 units of text, and no half characters; pages behind the cut are left out. */
export function cutText(read: DocumentText, most: number): DocumentText {
	if (lengthOf(read) <= most) return read;
	if (!read.pages) return { ...read, text: beginning(read.text ?? '', most), truncated: true };
	const pages: DocumentPage[] = [];
	let left = most;
	for (const page of read.pages) {
		const text = beginning(page.text, left);
		if (text.length === page.text.length) pages.push(page);
		else if (text !== '') pages.push({ ...page, text });
		if (text.length < page.text.length) break;
		left -= text.length;
	}
	return { ...read, pages, truncated: true };
}

/** Units that are looked at in one turn of the event loop: a few milliseconds. */
const sliceLength = 1_048_576;

/** How many UTF-16 units the first `most` Unicode code points of a document take. */
export async function unitsOfFirst(most: number, read: DocumentText): Promise<number> {
	// Never more code points than units: what is short needs no counting.
	if (lengthOf(read) <= most) return lengthOf(read);
	let [units, left, seen] = [0, most, 0];
	for (const text of read.pages?.map((page) => page.text) ?? [read.text ?? '']) {
		let at = 0;
		for (; at < text.length && left > 0; left--) {
			at += isPair(text, at) ? 2 : 1;
			if (++seen % sliceLength === 0) await turn();
		}
		units += at;
	}
	return units;
}

function beginning(text: string, most: number): string {
	return text.slice(0, isPair(text, most - 1) ? most - 1 : most);
}

function isPair(text: string, at: number): boolean {
	return isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1));
}

const isHigh = (unit: number) => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number) => (unit & 0xfc00) === 0xdc00;
