import { guttersOf } from './gutters.ts';
import { middleOf, type Run } from './item.ts';
import { layersOf, withoutHeading } from './layers.ts';
import { linesOf } from './lines.ts';
import { isList } from './lists.ts';
import { type Phrase, phrasesOf } from './phrases.ts';
import { type Side, sideOf } from './prose.ts';
import { alignment, continues, isForm, isSideColumn, sharesParagraphs } from './sides.ts';
import { type Stretch, tablesIn } from './tables.ts';
import { titlesOf } from './titles.ts';

const maxDepth = 6;
const longPiece = 12;
/** A gap of this many heights is no blank between words, even where lines are stretched; narrow gutters are not wider. */
const pieceGap = 0.7;

/** Texts that are read together, as lines. */
export type Region = Stretch;

/**
 * Cuts a page into regions in reading order. It is cut only where a free vertical gutter lies between running text on both sides; what crosses
 * the gutter (a heading, a wide figure's caption) is a region between the parts above and below it.
 */
export function regionsOf(runs: readonly Run[], rightFirst: boolean): Region[] {
	return cut(runs, rightFirst, maxDepth);
}

function cut(runs: readonly Run[], rightFirst: boolean, depth: number): Region[] {
	if (depth === 0 || runs.length < 6) return [{ runs }];
	const lines = linesOf(runs).map((line) => phrasesOf(line, pieceGap));
	const pieces = lines.flat();
	const stretches = tablesIn(pieces);
	if (stretches.some(({ gutters }) => gutters))
		return stretches.flatMap((stretch) => (stretch.gutters ? [stretch] : cut(stretch.runs, rightFirst, depth - 1)));
	const titles = titlesOf(lines);
	for (const gutter of guttersOf(pieces)) {
		const bands = bandsAt(pieces, titles, gutter);
		if (!bands.some(isCut)) continue;
		return bands.flatMap((band) => {
			if (!isCut(band)) return cut(runsIn(band.all), rightFirst, depth - 1);
			const sides = rightFirst ? [band.right, band.left] : [band.left, band.right];
			return sides.flatMap((side) => cut(runsIn(side), rightFirst, depth - 1));
		});
	}
	return [{ runs }];
}

interface Band {
	readonly all: readonly Phrase[];
	readonly left: readonly Phrase[];
	readonly right: readonly Phrase[];
	/** Columns of equal rank make likely ones beside the same gutter sure; a column of short texts does not. */
	readonly verdict: 'columns' | 'aside' | 'maybe' | 'rows';
}

function isCut({ verdict }: Band): boolean {
	return verdict === 'columns' || verdict === 'aside';
}

function runsIn(pieces: readonly Phrase[]): Run[] {
	return pieces.flatMap(({ runs }) => runs);
}

/** The page from top to bottom: stretches beside the gutter, and between them what crosses it. Neighbours that stay whole are one band. */
function bandsAt(pieces: readonly Phrase[], titles: ReadonlySet<Phrase>, gutter: number): Band[] {
	const groups = stretches(pieces, titles, gutter)
		.flatMap((group, index, all) => withoutHeading(group, index % 2 === 0 ? all[index + 1] : []))
		.flatMap((group) => layersOf(group, gutter))
		.map((group) => bandOf(group, gutter));
	const sure = groups.some(({ verdict }) => verdict === 'columns');
	const bands: Band[] = [];
	for (const band of groups) {
		// Where the page has columns already, a short stretch of text beside the same gutter is more of them.
		const judged: Band = band.verdict === 'maybe' && sure ? { ...band, verdict: 'columns' } : band;
		const before = bands.at(-1);
		if (!before || isCut(before) || isCut(judged)) bands.push(judged);
		else bands[bands.length - 1] = { ...before, all: [...before.all, ...judged.all] };
	}
	return bands;
}

/** Groups of pieces from top to bottom; those of even index lie beside the gutter, those of odd index cross it or stand on a line with what does. */
function stretches(pieces: readonly Phrase[], titles: ReadonlySet<Phrase>, gutter: number): Phrase[][] {
	const sorted = pieces.toSorted((a, b) => middleOf(a) - middleOf(b));
	const bars = sorted.filter((piece) => titles.has(piece) || (piece.left < gutter && piece.right > gutter));
	const groups: Phrase[][] = [[]];
	let bar = 0;
	for (const piece of sorted) {
		const middle = middleOf(piece);
		while (bar < bars.length && (bars[bar] as Phrase).bottom < middle) bar++;
		const near = bars[bar];
		const crosses = near !== undefined && near.top <= middle;
		if (crosses !== (groups.length % 2 === 0)) groups.push([]);
		groups.at(-1)?.push(piece);
	}
	return groups;
}

function bandOf(all: readonly Phrase[], gutter: number): Band {
	const left = all.filter((piece) => piece.right <= gutter);
	const right = all.filter((piece) => piece.left >= gutter);
	const isWhole = left.length + right.length < all.length || left.length * right.length === 0;
	return { all, left, right, verdict: isWhole ? 'rows' : verdictOf(left, right) };
}

function verdictOf(left: readonly Phrase[], right: readonly Phrase[]): Band['verdict'] {
	if (isList(left) && isList(right)) return 'columns';
	const texts = [left, right].filter(hasText).length;
	if (texts === 0) return 'rows';
	const [one, other] = [sideOf(runsIn(left)), sideOf(runsIn(right))];
	if (isSideColumn(one, other) || isSideColumn(other, one)) return 'aside';
	return texts === 2 ? judge(one, other) : 'rows';
}

/** Cells alone are not worth a closer look: most gutters lie in tables. */
function hasText(pieces: readonly Phrase[]): boolean {
	let all = 0;
	let long = 0;
	for (const { columns } of pieces) {
		all += columns;
		if (columns >= longPiece) long += columns;
	}
	return all > 0 && long >= 0.25 * all;
}

function judge(left: Side, right: Side): Band['verdict'] {
	const few = Math.min(left.lines.length, right.lines.length);
	const many = Math.max(left.lines.length, right.lines.length);
	if (continues(left, right)) return 'columns';
	if (isForm(left, right)) return 'rows';
	const isText = !left.isLabel && !right.isLabel;
	const isMuch = Math.min(left.count, right.count) >= 3 && many >= 5;
	const [least, most] = [Math.min(left.prose, right.prose), Math.max(left.prose, right.prose)];
	if (least >= 0.5 && least + most >= 1.3 && isMuch && isText)
		return sharesParagraphs(left, right) ? 'rows' : 'columns';
	// No rows are lost where the lines of both sides do not meet.
	const dense = left.pitch < 1.9 && right.pitch < 1.9;
	const apart = isText && few >= 5 && most >= 0.7 && least >= 0.25 && dense;
	if (apart && alignment(left, right) < 0.35) return 'columns';
	return least >= 0.5 || (few <= 2 && most >= 0.8 && many >= 4) ? 'maybe' : 'rows';
}
