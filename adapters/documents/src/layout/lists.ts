import { heightOf, middleOf } from './item.ts';
import type { Phrase } from './phrases.ts';

const mark = /^[•◦‣▪▫●○■□➢✓–](?: (?=\S)|$)/u;
const farthest = 2.5;
const fewest = 2;
/** More of them fill a table or a plot. */
const mostMarks = 200;
/** Of pieces: marks are pieces of their own, and entries take some lines. */
const share = 0.15;

/** Whether texts are a list whose entries begin with marks. A mark that stands alone is a cell of a table. */
export function isList(pieces: readonly Phrase[]): boolean {
	const marks = pieces.filter(({ text }) => mark.test(text));
	if (marks.length > mostMarks || marks.length < Math.max(fewest, share * pieces.length)) return false;
	return marks.every((one) => one.text.length > 1 || pieces.some((piece) => isAfter(one, piece)));
}

function isAfter(one: Phrase, piece: Phrase): boolean {
	const gap = (piece.left - one.right) / heightOf(one);
	const isBeside = Math.abs(middleOf(one) - middleOf(piece)) < 0.4 * heightOf(one);
	return gap > 0 && gap < farthest && isBeside;
}
