/** A text with its place on a line. `from` and `to` are points from the region's edge; `at` is the column that {@link place} gives it. */
export interface Cell {
	readonly text: string;
	readonly columns: number;
	readonly from: number;
	readonly to: number;
	readonly height: number;
	at: number;
}

/** Cells are at least this many blanks apart. */
const apart = 2;
const lastColumn = 400;

/**
 * Gives every cell its column. Cells that share their left edge, or their right edge as numbers do, get the same one. A text that is wider in
 * characters than on paper moves what stands to its right, on all lines of the table: nothing is cut.
 */
export function place(rows: readonly (readonly Cell[])[], pointsPerColumn: number): void {
	for (const block of blocksOf(rows)) align(block, pointsPerColumn);
	for (const row of rows) settle(row);
}

/** Running text ends a table: its lines move nothing, and nothing moves them. */
function blocksOf(rows: readonly (readonly Cell[])[]): (readonly Cell[])[][] {
	const blocks: (readonly Cell[])[][] = [[]];
	for (const row of rows) {
		if (isProse(row)) blocks.push([row], []);
		else blocks.at(-1)?.push(row);
	}
	return blocks.filter((block) => block.length > 0);
}

function isProse(row: readonly Cell[]): boolean {
	const [cell] = row;
	return row.length === 1 && cell !== undefined && cell.columns > 50;
}

interface Place {
	readonly cell: Cell;
	readonly before: Cell | undefined;
}

interface Stop {
	readonly places: Place[];
	readonly edge: 'from' | 'to';
}

function align(rows: readonly (readonly Cell[])[], pointsPerColumn: number): void {
	const column = (points: number) => Math.min(lastColumn, Math.round(points / pointsPerColumn));
	const places = rows.flatMap((row) => row.map((cell, index): Place => ({ cell, before: row[index - 1] })));
	for (const { cell } of places) cell.at = column(cell.from);
	// A line of running text, as most are.
	if (places.length === 1) return;
	for (const { places: members, edge } of stopsOf(places)) {
		let at = 0;
		for (const { cell, before } of members) {
			const least = before ? before.at + before.columns + apart : 0;
			at = Math.max(
				at,
				edge === 'from' ? Math.max(column(cell.from), least) : Math.max(column(cell.to), least + cell.columns),
			);
		}
		for (const { cell } of members) cell.at = edge === 'from' ? at : at - cell.columns;
	}
}

/** Cells that share an edge, from left to right. Of its two edges a cell goes with the one that more cells share. */
function stopsOf(places: readonly Place[]): Stop[] {
	const left = clusters(places, 'from');
	const right = clusters(places, 'to');
	const stops = new Map<Place[], Stop>();
	for (const place of places) {
		const [byLeft, byRight] = [left.get(place) ?? [], right.get(place) ?? []];
		const edge = standsRight(place, byLeft.length, byRight.length) ? 'to' : 'from';
		const cluster = edge === 'to' ? byRight : byLeft;
		const stop = stops.get(cluster);
		if (stop) stop.places.push(place);
		else stops.set(cluster, { places: [place], edge });
	}
	const first = (stop: Stop) => stop.places.reduce((min, { cell }) => Math.min(min, cell.from), Infinity);
	return [...stops.values()]
		.map((stop) => ({ stop, first: first(stop) }))
		.sort((a, b) => a.first - b.first)
		.map(({ stop }) => stop);
}

/** Numbers stand under each other by their right edge, other texts seldom, and never where a line begins. */
function standsRight({ cell, before }: Place, byLeft: number, byRight: number): boolean {
	const isNumber = /\d/.test(cell.text) && !/\p{L}{2}/u.test(cell.text);
	return isNumber ? byRight > byLeft : before !== undefined && byRight > 2 * byLeft;
}

function clusters(places: readonly Place[], edge: 'from' | 'to'): Map<Place, Place[]> {
	const found = new Map<Place, Place[]>();
	let cluster: Place[] = [];
	for (const place of places.toSorted((a, b) => a.cell[edge] - b.cell[edge])) {
		const start = cluster[0]?.cell[edge] ?? -Infinity;
		if (place.cell[edge] - start > 0.3 * place.cell.height) cluster = [];
		cluster.push(place);
		found.set(place, cluster);
	}
	return found;
}

/** The last word on a line: no cell touches the one before it. */
function settle(row: readonly Cell[]): void {
	let next = 0;
	for (const cell of row) {
		cell.at = Math.max(next, Math.min(cell.at, lastColumn));
		next = cell.at + cell.columns + apart;
	}
}
