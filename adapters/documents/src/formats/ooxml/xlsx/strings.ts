import type { XmlHandler } from '../../../markup/xml.ts';
import { shown } from '../shown.ts';

/** A handler that reads the strings that cells share into `strings`. */
export function sharedStringsHandler(strings: string[]): XmlHandler {
	let isText = false;
	let text = '';
	return shown(
		{
			open(name) {
				if (name === 'x:si') text = '';
				else isText = name === 'x:t';
			},
			text(piece) {
				if (isText) text += piece;
			},
			close(name) {
				isText = false;
				if (name === 'x:si') strings.push(cellText(text));
			},
		},
		isPhonetic,
	);
}

/** Whether an element spells a cell's text out in another script, in small print above it or nowhere. */
export function isPhonetic(name: string): boolean {
	return name === 'x:rPh';
}

/** The text of a cell on one line, with the characters that XML cannot hold (`_x000D_`). */
export function cellText(text: string): string {
	if (!/[\s_]/.test(text)) return text;
	return text
		.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
		.replace(/\s+/g, ' ')
		.trim();
}
