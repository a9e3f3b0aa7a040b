import type { TextItem } from '../layout/item.ts';

/** A word as OCR finds it: the box is that of its ink. */
export interface FoundWord {
	readonly text: string;
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
	/** From 0 to 1. Absent for text that the page has itself. */
	readonly confidence?: number | undefined;
	readonly rotation?: number;
}

/** Below it, most words are specks, lines and pictures. */
const leastConfidence = 0.3;
const tall = /[\p{Lu}\p{N}\p{Lo}bdfhijklt!?'"“”‘’()[\]{}/|@#$%&§€£]/u;
const deep = /[gjpqy,;()[\]{}|]/u;
/** Parts of a font's size: heights of letters without and with strokes above, and of strokes below the line. */
const small = 0.5;
const high = 0.72;
const below = 0.21;
const above = 0.8;

/** Gives words the boxes that printed text has, from which all layout starts: as high as their font, on a common baseline. */
export function itemsOfWords(words: readonly FoundWord[]): TextItem[] {
	const items: TextItem[] = [];
	for (const word of words) {
		const { text, confidence } = word;
		if (confidence === undefined) items.push({ rotation: 0, ...word });
		else if (confidence >= leastConfidence && text.trim() !== '')
			items.push({ ...word, ...heightOf(word, items.at(-1)), rotation: 0 });
	}
	return items;
}

/** Of dashes and dots the ink says nothing of the size: they go with the word before them. */
function heightOf({ text, y, height }: FoundWord, before: TextItem | undefined) {
	if (!/[\p{L}\p{N}]/u.test(text)) {
		const middle = y + height / 2;
		const isBeside = before && middle > before.y && middle < before.y + before.height;
		return isBeside ? { y: before.y, height: before.height } : { y, height };
	}
	const depth = deep.test(text) ? below : 0;
	const size = height / ((tall.test(text) ? high : small) + depth);
	return { y: y + height - (depth + above) * size, height: (above + below) * size };
}
