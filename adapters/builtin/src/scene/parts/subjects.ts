import { hex, mix, type Rgb, rgb } from '../color.ts';
import type { Subject } from '../lexicon.ts';
import { type Canvas, n, type SceneItem } from './canvas.ts';
import { type ShapeColors, shapes } from './shapes.ts';

const swimmers: ReadonlySet<Subject> = new Set(['boat', 'whale', 'fish']);
const fliers: ReadonlySet<Subject> = new Set(['balloon', 'bird', 'plane', 'rocket', 'ufo', 'planet']);

/** Heights in units, where they differ from 0.2. */
const sizes: Partial<Record<Subject, number>> = {
	boat: 0.24,
	lighthouse: 0.34,
	house: 0.22,
	castle: 0.34,
	rocket: 0.3,
	balloon: 0.3,
	whale: 0.34,
	fish: 0.2,
	tree: 0.3,
	palm: 0.33,
	windmill: 0.32,
	train: 0.26,
	car: 0.24,
	ufo: 0.26,
	robot: 0.24,
	plane: 0.28,
	person: 0.22,
	cactus: 0.24,
	cat: 0.22,
	dog: 0.22,
	bird: 0.18,
};

/** True when the subject of the plan stands on the ground of its setting. */
export function stands({ plan }: Canvas): boolean {
	const { subject, setting } = plan;
	return subject !== undefined && !swimmers.has(subject) && !fliers.has(subject) && hasGround(setting);
}

/** SVG of a standing subject with its foot at a point of a strip of ground; empty when it flies, swims, or is missing. */
export function standing(canvas: Canvas, x: number, y: number): string {
	const { plan, unit, period } = canvas;
	if (plan.subject === undefined || !stands(canvas)) return '';
	const size = unit * (sizes[plan.subject] ?? 0.2);
	const body = shapeOf(plan.subject, x, y - size / 2, size, colorsOf(canvas), plan.pan < 0);
	const twin = x < size ? period : x > period - size ? -period : 0;
	return twin === 0 ? body : `${body}<g transform="translate(${twin} 0)">${body}</g>`;
}

/** A subject that swims or hangs at a height of the frame, in pixels from the top. */
export function floating(canvas: Canvas, y: number): SceneItem[] {
	const { plan } = canvas;
	const { subject, setting } = plan;
	if (subject === undefined || subject === 'planet' || stands(canvas)) return [];
	const wet = setting === 'sea' || setting === 'lake' || setting === 'underwater' || setting === 'space';
	if (fliers.has(subject) && setting !== 'space') return [];
	if (!wet) return [];
	return [travelling(canvas, subject, y, setting === 'space' ? 0.012 : 0.007)];
}

/** A subject in the air. Whatever has neither water nor ground in its setting flies as well. */
export function flying(canvas: Canvas): SceneItem[] {
	const { plan, height } = canvas;
	const { subject, setting } = plan;
	if (subject === undefined || setting === 'space' || stands(canvas)) return [];
	const wet = setting === 'sea' || setting === 'lake' || setting === 'underwater';
	if (swimmers.has(subject) && wet) return [];
	if (setting === 'underwater') return [travelling(canvas, subject, height * 0.42, 0.01)];
	const at = setting === 'abstract' || setting === 'sky' ? 0.42 : 0.3;
	return [travelling(canvas, subject, height * at, 0.014)];
}

/** SVG of a shape of a height in pixels around a point. */
export function shapeOf(
	subject: Subject,
	x: number,
	y: number,
	size: number,
	colors: { ink: Rgb; light: Rgb; accent: Rgb },
	mirrored: boolean,
): string {
	const scale = size / 100;
	const paint: ShapeColors = {
		ink: hex(colors.ink),
		light: hex(colors.light),
		accent: hex(colors.accent),
	};
	return `<g transform="translate(${n(x + (mirrored ? size / 2 : -size / 2))} ${n(y - size / 2)}) scale(${(mirrored ? -scale : scale).toFixed(4)} ${scale.toFixed(4)})">${shapes[subject](paint)}</g>`;
}

function travelling(canvas: Canvas, subject: Subject, y: number, swing: number): SceneItem {
	const { unit, plan, frames, width, drift } = canvas;
	const big = plan.setting === 'abstract' || plan.setting === 'space' ? 1.35 : 1;
	const size = unit * (sizes[subject] ?? 0.2) * big;
	const side = Math.ceil(size / 2) * 2;
	const quick = subject === 'plane' || subject === 'bird' || subject === 'fish' || subject === 'car';
	const pace = Math.min(unit * (quick ? 0.0022 : 0.0007), (width * 0.34) / frames);
	const way = plan.pan < 0 ? -1 : 1;
	const dx = plan.camera.still ? 0 : way * pace + drift * 0.15;
	const dy = subject === 'rocket' && !plan.camera.still ? -Math.min(unit * 0.0007, (unit * 0.12) / frames) : 0;
	const body = shapeOf(subject, side / 2, side / 2, size, colorsOf(canvas), way < 0);
	return {
		kind: 'svg',
		drawing: { width: side, height: side, body },
		wraps: false,
		travel: {
			x: plan.stage * width - side / 2 - (dx * frames) / 2,
			y: y - side / 2 - (dy * frames) / 2,
			dx,
			dy,
			bob: { height: unit * swing, period: 66, phase: plan.stage },
		},
	};
}

function hasGround(setting: string): boolean {
	return setting !== 'sky' && setting !== 'abstract';
}

/** Dark enough to stand out from the ground, with the light of the hour on its bright parts. */
export function colorsOf({ plan }: Canvas): { ink: Rgb; light: Rgb; accent: Rgb } {
	const { palette, time } = plan;
	const dim = time === 'night' ? 0.42 : time === 'dusk' ? 0.2 : 0.04;
	const shade = rgb('#101830');
	return {
		ink: mix(mix(palette.ink, rgb('#0c1020'), 0.55), palette.sky[1], 0.06),
		light: mix(mix(rgb('#f7f3ea'), palette.light, 0.4), shade, dim),
		accent: mix(palette.accent, shade, dim * 0.75),
	};
}
