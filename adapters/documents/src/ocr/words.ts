import type { TextItem as Word } from '@llamaindex/liteparse';
import type { TextItem } from '../layout/page.ts';

const tall = /[\p{Lu}\p{N}\p{Lo}bdfhijklt!?'"“”‘’()[\]{}/|@#$%&§€£]/u;
const descenders = /[gjpqy,;()[\]{}|]/u;

/** The words of OCR, in boxes like those of printed text: as high as their font, on a common baseline. */
export function itemsOfWords(words: readonly Word[]): TextItem[] {
	const items: TextItem[] = [];
	for (const word of words) {
		const { text, confidence } = word;
		// Text of the page itself has no confidence.
		if (confidence === undefined) items.push({ rotation: 0, ...word });
		// Most words below this confidence are specks, lines and pictures.
		else if (confidence >= 0.3 && text.trim() !== '')
			items.push({ ...word, ...heightOf(word, items.at(-1)), rotation: 0 });
	}
	return items;
}

/** Boxes enclose the ink. Dashes and dots do not show the font size, so they get that of the previous word. */
function heightOf({ text, y, height }: Word, before: TextItem | undefined) {
	const middle = y + height / 2;
	const isBeside = before && middle > before.y && middle < before.y + before.height;
	if (!/[\p{L}\p{N}]/u.test(text)) return isBeside ? { y: before.y, height: before.height } : { y, height };
	// In font sizes: descenders 0.21, tall letters 0.72, other letters 0.5, from the baseline to the top of a box 0.8.
	const depth = descenders.test(text) ? 0.21 : 0;
	const size = height / ((tall.test(text) ? 0.72 : 0.5) + depth);
	return { y: y + height - (depth + 0.8) * size, height: 1.01 * size };
}
