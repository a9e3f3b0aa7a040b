import { heightOf } from './item.ts';
import type { Phrase } from './phrases.ts';

/** Running heads may begin where a column begins. */
const headerLines = 2;

/**
 * Texts that stand alone on their line in the middle of a region, above or below its columns: titles and page numbers, which belong to all of them
 * even if they are narrower than the middle one. `lines` go from top to bottom.
 */
export function titlesOf(lines: readonly (readonly Phrase[])[]): Set<Phrase> {
	const pieces = lines.flat();
	const left = pieces.reduce((least, piece) => Math.min(least, piece.left), Infinity);
	const right = pieces.reduce((most, piece) => Math.max(most, piece.right), -Infinity);
	const edges = new Map<number, number>();
	for (const piece of pieces) {
		const edge = Math.round(piece.left);
		edges.set(edge, (edges.get(edge) ?? 0) + 1);
	}
	const isEdge = (x: number) => {
		const near = [-1, 0, 1].map((step) => edges.get(Math.round(x) + step) ?? 0);
		return near.reduce((sum, count) => sum + count, 0) > 2;
	};
	const isColumn = (line: readonly Phrase[]) => line.some((piece) => isEdge(piece.left));
	const columnLines = lines.filter(isColumn).length;
	let above = 0;
	const found = lines.flatMap((line) => {
		if (isColumn(line)) above += 1;
		const [piece, ...others] = line;
		const isOuter = Math.min(above, columnLines - above) <= headerLines;
		if (!piece || others.length > 0 || !isOuter || isEdge(piece.left)) return [];
		const away = Math.abs(piece.left + piece.right - left - right) / 2;
		return away < 0.6 * heightOf(piece) ? [piece] : [];
	});
	return new Set(found);
}
