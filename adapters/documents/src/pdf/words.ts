import type { TextItem as Piece, WordBox } from '@llamaindex/liteparse';
import { isWide } from '../layout/characters.ts';
import type { TextItem } from '../layout/item.ts';
import { logicalText } from '../layout/visual-order.ts';

/**
 * An item whose words do not follow each other on one line is none: now and then the engine joins the end of a line to what is beside the next. It
 * also puts blanks into words whose letters were placed one by one, joins cells of tables that stand close, and gives words from right to left in
 * the order of their places.
 */
export function itemsOf({ text, x, y, width, height, rotation = 0, words = [] }: Piece): TextItem[] {
	const isTurned = Math.abs(rotation % 360) > 1;
	const whole = { text, x, y, width, height, rotation };
	if (isTurned || words.length === 0) return [{ ...whole, text: logicalText(text) }];
	if (words.some((word, index) => isAway(words[index - 1], word))) return words.map((word) => ({ ...word, rotation }));
	if (words.some((word, index) => isOver(words[index - 1], word))) return [whole];
	if (isSpelled(words)) return [{ ...whole, text: logicalText(joinedText(words)) }];
	return cellsOf(whole, words).map((cell) => ({ ...cell, text: logicalText(cell.text) }));
}

/** Blanks between words are narrower, in heights, but those of justified lines, which are long. */
const broadBlank = 0.6;
/** Before an amount and in wide scripts, which write none, an ordinary blank may be what is left of a column's gap. */
const narrowBlank = 0.2;
const longLine = 40;
const amount = /^[-+($€£¥]*\d[\d.,:/]*[)%]?$/;

/** An item in parts that may be cells of a row: if they are not, the layout joins them again. */
function cellsOf(item: TextItem, words: readonly WordBox[]): TextItem[] {
	const texts = item.text.split(' ');
	if (words.length < 2 || item.text.length > longLine || texts.length !== words.length) return [item];
	const least = isJustified(words) ? Infinity : broadBlank;
	const cells: (TextItem & { text: string; width: number })[] = [];
	words.forEach((word, index) => {
		const [text = '', before] = [texts[index], words[index - 1]];
		const cell = cells.at(-1);
		const isFree = isWide(word.text[0]) || amount.test(word.text);
		const blank = (isFree ? narrowBlank : least) * item.height;
		if (cell && before && gapBetween(before, word) < blank) {
			cell.text += ` ${text}`;
			cell.width = word.x + word.width - cell.x;
		} else cells.push({ ...item, text, x: word.x, width: word.width });
	});
	return cells;
}

/** All its blanks are equal. */
function isJustified(words: readonly WordBox[]): boolean {
	const gaps = words.slice(1).map((word, index) => gapBetween(words[index] as WordBox, word));
	return gaps.length > 1 && Math.max(...gaps) < 2 * Math.min(...gaps);
}

function gapBetween(before: WordBox, word: WordBox): number {
	return word.x - before.x - before.width;
}

/** Letter by letter, which the engine takes for words. */
function isSpelled(words: readonly WordBox[]): boolean {
	const single = words.filter(({ text }) => text.length === 1).length;
	return words.length >= 3 && single > 0.6 * words.length;
}

function joinedText(words: readonly WordBox[]): string {
	return words.map((word, index) => (index === 0 || isClose(words[index - 1], word) ? '' : ' ') + word.text).join('');
}

/** No blank is as narrow as that. */
function isClose(before: WordBox | undefined, word: WordBox): boolean {
	return before !== undefined && gapBetween(before, word) < 0.06 * word.height;
}

function isOver(before: WordBox | undefined, word: WordBox): boolean {
	return before !== undefined && word.x < before.x + 0.5 * before.width;
}

function isAway(before: WordBox | undefined, word: WordBox): boolean {
	if (!before) return false;
	const middles = Math.abs(word.y + word.height / 2 - before.y - before.height / 2);
	const back = before.x - word.x;
	return back > 2 * word.height && middles > 0.25 * Math.min(word.height, before.height);
}
