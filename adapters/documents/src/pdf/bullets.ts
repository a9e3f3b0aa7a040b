import type { TextItem } from '../layout/item.ts';
import { middleOf } from '../layout/item.ts';

/** A filled shape on a page: its box in points from the upper left corner. */
export interface Shape {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

/** A page with more small shapes is a plot. */
const maxShapes = 500;
/** In heights of the text beside it. */
const size = { least: 0.12, most: 0.6 };
const farthest = 2.5;

/** Marks of lists that are drawn, not written: small round or square shapes right before a text, in the middle of its line. */
export function bulletsOf(shapes: readonly Shape[], printed: readonly TextItem[]): TextItem[] {
	const small = shapes.filter(({ width, height }) => {
		const most = Math.max(width, height);
		return most > 0.5 && most < 15 && Math.min(width, height) > 0.75 * most;
	});
	if (small.length > maxShapes) return [];
	return small.flatMap((shape) => {
		const near = printed.filter((item) => isBeside(shape, item));
		const heads = near.filter(({ x }) => x > shape.x);
		const next = heads.reduce<TextItem | undefined>(
			(best, item) => (best && best.x <= item.x ? best : item),
			undefined,
		);
		// Inside a line of text it is a letter's dot or a picture.
		if (!next || near.length > heads.length || !isMark(shape, next)) return [];
		return [{ ...next, text: '•', x: shape.x, width: shape.width }];
	});
}

function isBeside(shape: Shape, item: TextItem): boolean {
	const reach = farthest * item.height;
	if (item.x > shape.x + shape.width + reach || item.x + item.width < shape.x - reach) return false;
	return Math.abs(middle(shape) - middle(item)) < 0.3 * item.height;
}

function isMark({ x, width, height }: Shape, item: TextItem): boolean {
	const extent = Math.max(width, height) / item.height;
	const gap = (item.x - x - width) / item.height;
	return extent >= size.least && extent <= size.most && gap >= 0.15;
}

function middle({ y, height }: Shape): number {
	return middleOf({ top: y, bottom: y + height });
}
