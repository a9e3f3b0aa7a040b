import type { Rgb } from '../../scene/color.ts';
import type { Canvas, SceneItem } from '../../scene/parts/canvas.ts';
import type { Sitter } from '../words.ts';

/** A picture that is composed here: what a see-through picture leaves out, and all the rest. Back to front. */
export interface Motif {
	readonly back: readonly SceneItem[];
	readonly main: readonly SceneItem[];
}

/** What a motif pays attention to. */
export interface Brief {
	readonly sitter: Sitter;
	/** The colours that the prompt names. */
	readonly colors: readonly Rgb[];
	/** Rows from the top that nothing else will cover. */
	readonly room: number;
}

/** Makes the motif of a canvas. */
export type MotifPainter = (canvas: Canvas, brief: Brief) => Motif;

/** One still drawing as large as the picture. */
export function sheet({ width, height }: Canvas, body: string): SceneItem {
	return {
		kind: 'svg',
		drawing: { width, height, body },
		wraps: false,
		travel: { x: 0, y: 0, dx: 0 },
	};
}
