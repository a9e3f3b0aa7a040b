/** Where something stands, in English Metric Units (12,700 a point) or any other unit. */
export interface Box {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

/** How the places within a group become places on the slide: `scale * value + shift`. */
export interface Transform {
	readonly x: Axis;
	readonly y: Axis;
}

interface Axis {
	readonly scale: number;
	readonly shift: number;
}

/** Leaves places as they are. */
export const identity: Transform = { x: { scale: 1, shift: 0 }, y: { scale: 1, shift: 0 } };

/** A box on the slide. */
export function placed(box: Box, { x, y }: Transform): Box {
	return {
		x: x.scale * box.x + x.shift,
		y: y.scale * box.y + y.shift,
		width: x.scale * box.width,
		height: y.scale * box.height,
	};
}

/** The transform within a group that takes the place `box`, and within it counts from `inner`. */
export function within(around: Transform, box: Box, inner: Box): Transform {
	const outer = placed(box, around);
	return {
		x: axisOf(outer.x, outer.width, inner.x, inner.width),
		y: axisOf(outer.y, outer.height, inner.y, inner.height),
	};
}

/** The smallest box around others; undefined around none. */
export function around(boxes: readonly Box[]): Box | undefined {
	let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
	for (const { x, y, width, height } of boxes) {
		left = Math.min(left, x);
		top = Math.min(top, y);
		right = Math.max(right, x + width);
		bottom = Math.max(bottom, y + height);
	}
	return boxes.length === 0 ? undefined : { x: left, y: top, width: right - left, height: bottom - top };
}

function axisOf(outer: number, outerSize: number, inner: number, innerSize: number): Axis {
	const scale = innerSize > 0 && outerSize > 0 ? outerSize / innerSize : 1;
	return { scale, shift: outer - scale * inner };
}
