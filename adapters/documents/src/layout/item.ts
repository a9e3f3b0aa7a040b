/**
 * A piece of text on a page, in points. `x` and `y` are the left and top edge of its box, counted from the page's upper left corner; `width` and
 * `height` are those of the box as it lies on the page. `rotation` is clockwise in degrees: 0 reads to the right, 90 reads downwards.
 */
export interface TextItem {
	readonly text: string;
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
	readonly rotation: number;
}

/** The size of a page in points. */
export interface PageSize {
	readonly width: number;
	readonly height: number;
}

/** An item that stands upright, with clean text: what all later steps work on. */
export interface Run {
	readonly text: string;
	/** Columns that the text takes on a terminal. */
	readonly columns: number;
	readonly left: number;
	readonly right: number;
	readonly top: number;
	readonly bottom: number;
}

/** The height of a run's box: the unit of all distances, close to the font size. */
export function heightOf(run: { readonly top: number; readonly bottom: number }): number {
	return run.bottom - run.top;
}

/** The vertical middle of a box. */
export function middleOf(run: { readonly top: number; readonly bottom: number }): number {
	return (run.top + run.bottom) / 2;
}
