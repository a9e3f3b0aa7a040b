import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DocumentPage, DocumentText } from '@plinth/toolkit';

/** The length of all texts, in UTF-16 units. */
export function lengthOf({ pages, text = '' }: DocumentText): number {
	return pages?.reduce((sum, page) => sum + page.text.length, 0) ?? text.length;
}

/**
 * Cuts a document to at most `max` UTF-16 units of text, without splitting surrogate pairs. Pages after the
 * cut are left out.
 */
export function cutText(read: DocumentText, max: number): DocumentText {
	if (lengthOf(read) <= max) return read;
	if (!read.pages) return { ...read, text: beginning(read.text ?? '', max), truncated: true };
	const pages: DocumentPage[] = [];
	let remaining = max;
	for (const page of read.pages) {
		const text = beginning(page.text, remaining);
		if (text.length === page.text.length) pages.push(page);
		else if (text !== '') pages.push({ ...page, text });
		if (text.length < page.text.length) break;
		remaining -= text.length;
	}
	return { ...read, pages, truncated: true };
}

/** Units counted per tick of the event loop: a few milliseconds. */
const sliceLength = 1_048_576;

/** The length of the first `max` Unicode code points of a document, in UTF-16 units. */
export async function unitsOfFirst(max: number, read: DocumentText): Promise<number> {
	// There are never more code points than units, so a short text needs no counting.
	if (lengthOf(read) <= max) return lengthOf(read);
	let [units, remaining, counted] = [0, max, 0];
	for (const text of read.pages?.map((page) => page.text) ?? [read.text ?? '']) {
		let index = 0;
		for (; index < text.length && remaining > 0; remaining--) {
			index += isPair(text, index) ? 2 : 1;
			if (++counted % sliceLength === 0) await yieldToEventLoop();
		}
		units += index;
	}
	return units;
}

function beginning(text: string, max: number): string {
	return text.slice(0, isPair(text, max - 1) ? max - 1 : max);
}

function isPair(text: string, index: number): boolean {
	return isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1));
}

const isHigh = (unit: number) => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number) => (unit & 0xfc00) === 0xdc00;
