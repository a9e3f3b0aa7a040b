import { rowOf } from '../rows.ts';

/** Values by their place. Places may be far apart. */
export type Points = ReadonlyMap<number, string>;

/** A series of a chart, as its file remembers it. */
export interface Series {
	readonly name: string;
	/** What the values stand for: categories, or the x of a point. */
	readonly categories: Points;
	readonly values: Points;
	/** Sizes of bubbles. */
	readonly sizes: Points;
}

/** A table of more places than this is not made of series that share hardly any. */
const maxSparse = 10_000;

/** A chart as a table: a row for each category, a column for each series. Series with categories of their own get tables of their own. */
export function chartLines(titles: readonly string[], series: readonly Series[]): string[] {
	const groups: Series[][] = [];
	const keys = new Map<string, Series[]>();
	for (const one of series) {
		const key = JSON.stringify([...one.categories]);
		const group = one.categories.size === 0 ? groups.at(-1) : keys.get(key);
		if (group) group.push(one);
		else {
			const started = [one];
			keys.set(key, started);
			groups.push(started);
		}
	}
	return [...titles, ...groups.flatMap(linesOf)];
}

function linesOf(series: readonly Series[]): string[] {
	const values = series.reduce((sum, one) => sum + one.values.size + one.categories.size, 0);
	const places = placesOf(series).size * series.length;
	const isSparse = places > maxSparse && places > 10 * values;
	return isSparse ? series.flatMap((one) => tableOf([one])) : tableOf(series);
}

function placesOf(series: readonly Series[]): Set<number> {
	const places = new Set<number>();
	for (const { categories, values, sizes } of series) {
		for (const points of [categories, values, sizes]) for (const at of points.keys()) places.add(at);
	}
	return places;
}

function tableOf(series: readonly Series[]): string[] {
	const categories = series[0]?.categories ?? new Map();
	const columns = series.flatMap(({ name, values, sizes }) =>
		sizes.size > 0
			? [
					{ name, values },
					{ name: '', values: sizes },
				]
			: [{ name, values }],
	);
	const head = columns.some(({ name }) => name !== '') ? [rowOf(['', ...columns.map(({ name }) => name)])] : [];
	const rows = [...placesOf(series)]
		.sort((one, other) => one - other)
		.map((place) => rowOf([categories.get(place) ?? '', ...columns.map(({ values }) => values.get(place) ?? '')]));
	return [...head, ...rows];
}
