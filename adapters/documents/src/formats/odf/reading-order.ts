/** A shape on a slide, and the lines of its text. */
export interface Shape {
	readonly isTitle: boolean;
	/** Centimetres from the upper left corner. */
	readonly x: number;
	readonly y: number;
	readonly lines: readonly string[];
}

/** Shapes that begin so near to each other stand in a row. */
const rowCentimetres = 0.5;

/** Shapes as one reads them: titles, then from top to bottom, and from left to right those that stand in a row. */
export function inReadingOrder(shapes: readonly Shape[]): Shape[] {
	const titles = shapes.filter(({ isTitle }) => isTitle);
	const others = shapes.filter(({ isTitle }) => !isTitle).sort((one, other) => one.y - other.y);
	const rows: Shape[][] = [];
	for (const shape of others) {
		const row = rows.at(-1);
		const first = row?.[0];
		if (row && first && shape.y - first.y <= rowCentimetres) row.push(shape);
		else rows.push([shape]);
	}
	return [...titles, ...rows.flatMap((row) => row.sort((one, other) => one.x - other.x))];
}

const centimetres: Readonly<Record<string, number>> = {
	cm: 1,
	mm: 0.1,
	in: 2.54,
	pt: 2.54 / 72,
	pc: 2.54 / 6,
	px: 2.54 / 96,
};

/** A length in centimetres; undefined for none. */
export function lengthOf(text: string | undefined): number | undefined {
	const [, number = '', unit = ''] = /^\s*(-?[\d.]{1,30})\s*([a-z]{2})\s*$/.exec(text ?? '') ?? [];
	const length = Number.parseFloat(number) * (centimetres[unit] ?? Number.NaN);
	return Number.isNaN(length) ? undefined : length;
}
