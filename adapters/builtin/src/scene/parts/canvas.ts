import type { Swarm } from '../particles.ts';
import type { ScenePlan } from '../plan.ts';
import { createRandom, type Random } from '../random.ts';
import type { Drawing, Pixels } from '../raster.ts';

/** Where a part of a scene is at frame 0 and how it moves, in pixels and frames. */
export interface Travel {
	readonly x: number;
	readonly y: number;
	/** Pixels per frame. */
	readonly dx: number;
	readonly dy?: number;
	/** A slow rise and fall. */
	readonly bob?: { readonly height: number; readonly period: number; readonly phase: number };
}

/** One thing to draw, back to front. */
export type SceneItem =
	| {
			readonly kind: 'svg';
			readonly drawing: Drawing;
			readonly wraps: boolean;
			readonly travel: Travel;
	  }
	| {
			readonly kind: 'pixels';
			/**
			 * Called once, when its turn comes, so that few large pictures are in memory at a time.
			 * With `columns` it paints only so many at the left.
			 */
			readonly paint: (columns?: number) => Pixels;
			/** Columns of the whole picture. */
			readonly width: number;
			readonly wraps: boolean;
			readonly travel: Travel;
	  }
	| { readonly kind: 'swarm'; readonly swarm: Swarm };

/** What the painters of a scene share. */
export interface Canvas {
	readonly width: number;
	readonly height: number;
	/** The geometric mean of the sides: sizes in it look equal in portrait and landscape. */
	readonly unit: number;
	readonly frames: number;
	readonly plan: ScenePlan;
	/** For shapes that a remix keeps. */
	readonly shapes: Random;
	/** For shapes that differ with the seed. */
	readonly details: Random;
	/** Width of layers that repeat, in pixels; even. */
	readonly period: number;
	/** Pixels per frame that the camera moves the middle distance. */
	readonly drift: number;
}

/** Prepares the canvas of a plan. */
export function createCanvas(plan: ScenePlan, size: { width: number; height: number }, frames: number): Canvas {
	const { width, height } = size;
	const unit = Math.sqrt(width * height);
	// In a long video the camera slows down, so that what stands in the middle stays in the frame.
	const pace = Math.min(unit * 0.0012, (width * 0.3) / frames);
	return {
		width,
		height,
		unit,
		frames,
		plan,
		shapes: createRandom(plan.shapeSeed ^ 0x5a9e),
		details: createRandom(plan.detailSeed ^ 0xde7a),
		period: Math.round(width * 0.75) * 2,
		drift: -plan.pan * pace,
	};
}

/** The place on a layer of a speed that is at `x` of the frame in the middle of the video. */
export function onLayer(canvas: Canvas, x: number, dx: number): number {
	const place = x - (dx * canvas.frames) / 2;
	return ((place % canvas.period) + canvas.period) % canvas.period;
}

/** Repeats a drawing around `x` on the other side of the seam, when it reaches over a border of a repeating layer. */
export function acrossSeam(x: number, reach: number, period: number, svg: string): string {
	if (x >= reach && x <= period - reach) return svg;
	return `${svg}<g transform="translate(${x < reach ? period : -period} 0)">${svg}</g>`;
}

/** A number for SVG: one decimal is enough and keeps documents short. */
export function n(value: number): string {
	return String(Math.round(value * 10) / 10);
}
