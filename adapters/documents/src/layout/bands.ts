import { heightOf, type Run } from './item.ts';
import type { Phrase } from './phrases.ts';

/** From left to right, in points. */
export interface Interval {
	readonly from: number;
	readonly to: number;
}

/** How many pieces are looked at for the one right above. */
const lookBack = 40;

/** How lines of one text stand below each other. */
export interface Spacing {
	/** Between their boxes, in heights. */
	readonly blank: number;
	/** From top to top, in points. */
	readonly pitch: number;
}

/** The spacing of lines that stand close: that of most lines in the cells of a table. */
export function usualSpacing(pieces: readonly Phrase[]): Spacing {
	const sorted = pieces.toSorted((a, b) => a.top - b.top);
	const found = sorted.flatMap((piece, index) => {
		for (let at = index - 1; at >= Math.max(0, index - lookBack); at--) {
			const above = sorted[at] as Phrase;
			const isAbove = above.bottom < piece.bottom - 0.5 * heightOf(piece);
			if (!isAbove || above.left >= piece.right || piece.left >= above.right) continue;
			return [{ blank: (piece.top - above.bottom) / heightOf(piece), pitch: piece.top - above.top }];
		}
		return [];
	});
	return {
		blank: quarter(found.map(({ blank }) => blank)),
		pitch: quarter(found.map(({ pitch }) => pitch)),
	};
}

/** A quarter of the values is lower. */
function quarter(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[values.length >> 2] ?? 0;
}

/** Whether a line stands farther below the one above it than lines of one text do. Boxes are lower where no letter goes below the line, so tops are compared. */
export function isLoose(runs: readonly Run[], { pitch }: Spacing): boolean {
	const sorted = runs.toSorted((a, b) => a.top - b.top);
	return sorted.some((run, index) => {
		const above = sorted[index - 1];
		return above !== undefined && run.top - above.top > pitch + more * heightOf(run);
	});
}

/** Rows of tables stand so much farther apart than their lines, in heights. */
const more = 0.25;

/** Pieces between free space that goes across all of them and is higher than the `blank` between lines of a text. */
export function bandsOf<T extends Run>(pieces: readonly T[], blank: number): T[][] {
	const bands: T[][] = [];
	let bottom = -Infinity;
	for (const piece of pieces.toSorted((a, b) => a.top - b.top)) {
		const band = bands.at(-1);
		if (band && piece.top - bottom < (blank + more) * heightOf(piece)) band.push(piece);
		else bands.push([piece]);
		bottom = Math.max(bottom, piece.bottom);
	}
	return bands;
}

/** Tables of two columns look like columns of text. */
const fewColumns = 3;

/** Takes the lines at the `start` or `end` of a band that lie in the columns of the table beside it: its first or last row, close to other text. */
export function parted(
	band: readonly Phrase[],
	columns: readonly Interval[],
	edge: 'start' | 'end',
): { readonly lines: readonly Phrase[]; readonly rest: readonly Phrase[] } {
	const all = bandsOf(band, -more);
	if (edge === 'end') all.reverse();
	const isIn = ({ left, right, top, bottom }: Phrase) =>
		columns.some(({ from, to }) => {
			const margin = 0.3 * (bottom - top);
			return left >= from - margin && right <= to + margin;
		});
	const end = all.findIndex((line) => !line.every(isIn));
	const count = end < 0 ? 0 : end;
	const nearest = all[0] ?? [];
	const isRow = columns.length >= fewColumns && nearest.length * 2 > columns.length;
	if (!isRow || count === 0) return { lines: [], rest: band };
	return { lines: all.slice(0, count).flat(), rest: all.slice(count).flat() };
}

/** What texts cover from left to right, with a `margin` on both sides in heights. */
export function intervalsOf(runs: readonly Run[], margin: number): Interval[] {
	return joined(
		runs.map((run) => {
			const more = margin * heightOf(run);
			return { from: run.left - more, to: run.right + more };
		}),
	);
}

/** Intervals that touch become one. */
export function joined(intervals: readonly Interval[]): Interval[] {
	const found: { from: number; to: number }[] = [];
	for (const { from, to } of intervals.toSorted((a, b) => a.from - b.from)) {
		const last = found.at(-1);
		if (last && from <= last.to) last.to = Math.max(last.to, to);
		else found.push({ from, to });
	}
	return found;
}
