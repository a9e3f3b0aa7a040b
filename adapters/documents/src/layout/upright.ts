import type { PageSize, TextItem } from './item.ts';

/** A page whose text reads to the right, and the texts that stand across it. */
export interface Upright {
	readonly size: PageSize;
	readonly items: readonly TextItem[];
	/** Texts in other directions (margin stamps, turned labels), upright by themselves, one list per direction. */
	readonly others: readonly (readonly TextItem[])[];
}

const quarters = [0, 90, 180, 270] as const;
const slantLimit = 10;

/** Turns a page by the direction that most of its characters have. Slanted texts (watermarks) are kept apart like margin stamps. */
export function upright(items: readonly TextItem[], size: PageSize): Upright {
	const lists = new Map<number, TextItem[]>();
	for (const item of items) {
		const direction = directionOf(item);
		const list = lists.get(direction);
		if (list) list.push(item);
		else lists.set(direction, [item]);
	}
	const weigh = (quarter: number) => (lists.get(quarter) ?? []).reduce((sum, { text }) => sum + text.length, 0);
	const main = quarters.reduce((best, quarter) => (weigh(quarter) > weigh(best) ? quarter : best), 0);
	return {
		size: main % 180 === 0 ? size : { width: size.height, height: size.width },
		items: turned(lists.get(main) ?? [], main, size),
		others: [...lists.keys()]
			.filter((direction) => direction !== main)
			.sort((a, b) => a - b)
			.map((direction) => turned(lists.get(direction) ?? [], direction, size)),
	};
}

/** One of the quarters, or -1 for a slant. */
function directionOf({ rotation }: TextItem): number {
	const angle = Number.isFinite(rotation) ? ((rotation % 360) + 360) % 360 : 0;
	const nearest = Math.round(angle / 90) * 90;
	return Math.abs(angle - nearest) > slantLimit ? -1 : nearest % 360;
}

function turned(items: readonly TextItem[], direction: number, size: PageSize): TextItem[] {
	if (direction <= 0) return [...items];
	return items.map((item) => ({ ...item, ...boxAfter(item, direction, size), rotation: 0 }));
}

function boxAfter({ x, y, width, height }: TextItem, direction: number, size: PageSize) {
	switch (direction) {
		case 90:
			return { x: y, y: size.width - x - width, width: height, height: width };
		case 180:
			return { x: size.width - x - width, y: size.height - y - height };
		default:
			return { x: size.height - y - height, y: x, width: height, height: width };
	}
}
