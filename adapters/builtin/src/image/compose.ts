import { airItems, skyItems } from '../scene/parts/air.ts';
import { buildScene } from '../scene/parts/build.ts';
import { type Canvas, createCanvas, type SceneItem } from '../scene/parts/canvas.ts';
import { flying } from '../scene/parts/subjects.ts';
import type { ScenePlan } from '../scene/plan.ts';
import type { Reflection } from './mirror.ts';
import { bouquet } from './motifs/bouquet.ts';
import { hills } from './motifs/hills.ts';
import type { MotifPainter } from './motifs/motif.ts';
import { pattern } from './motifs/pattern.ts';
import { portrait } from './motifs/portrait.ts';
import { sticker } from './motifs/sticker.ts';
import type { PicturePlan } from './plan.ts';
import type { Genre } from './words.ts';

/** The parts of a picture, back to front. */
export interface Composition {
	/** Seen where the sky is painted first: the scene whose sky it is. */
	readonly sky?: ScenePlan;
	/** What lies behind the motif: a see-through picture leaves it and the sky out. */
	readonly back: readonly SceneItem[];
	readonly main: readonly SceneItem[];
	/** What is mirrored below a row, before the part of `main` with this index is drawn. */
	readonly mirrored?: { readonly before: number; readonly reflection: Reflection };
	/** True when the motif reaches the borders, which a see-through picture softens. */
	readonly bleeds: boolean;
}

const indoors: Partial<Record<Genre, MotifPainter>> = { portrait, bouquet, pattern };

/** Lists what is drawn for a plan. Nothing important lies below the first `room` rows. */
export function compose(
	plan: PicturePlan,
	size: { readonly width: number; readonly height: number },
	room: number,
): Composition {
	// A caption hides the foot of the picture: what stands there moves up.
	const covered = 1 - room / size.height;
	// A street lies lower than all other ground.
	const lift = plan.scene.setting === 'city' ? covered * 0.8 : Math.min(0.12, covered * 0.55);
	const scene = { ...plan.scene, horizon: plan.scene.horizon - lift };
	const canvas = createCanvas(scene, size, 1);
	const brief = { sitter: plan.sitter, colors: plan.colors, room };
	const painter = indoors[plan.genre];
	if (painter) return { bleeds: plan.genre === 'pattern', ...painter(canvas, brief) };
	if (plan.transparent && scene.subject) return { bleeds: false, ...sticker(canvas, brief) };
	if (plan.genre === 'hills') {
		const main = [...hills(canvas), ...flying(canvas), ...airItems(canvas)];
		return { sky: scene, back: skyItems(canvas), main, bleeds: true };
	}
	const { sky, near } = buildScene(canvas);
	const mirrored = mirroredIn(canvas, near);
	return { sky: scene, back: sky, main: near, ...(mirrored && { mirrored }), bleeds: true };
}

/** Water mirrors what stands above it, and so does a wet street. */
function mirroredIn(canvas: Canvas, near: readonly SceneItem[]): Composition['mirrored'] {
	const { height, plan } = canvas;
	const { setting, weather, time, detailSeed: seed } = plan;
	const wet = weather === 'rain' || weather === 'storm';
	if (setting === 'sea' || setting === 'lake') {
		// Water begins with its sparkles: the first swarm of these settings.
		const before = near.findIndex(({ kind }) => kind === 'swarm');
		const lake = setting === 'lake';
		const strength = (lake ? 0.62 : 0.34) * (wet ? 0.5 : 1);
		const horizon = Math.round(plan.horizon * height);
		return before < 0 ? undefined : { before, reflection: { horizon, strength, rough: lake ? 0.5 : 1, seed } };
	}
	if (setting !== 'city' || !(wet || time === 'night')) return undefined;
	// The street is the last of the four strips of a city.
	const street = near[3];
	if (street?.kind !== 'svg') return undefined;
	const horizon = Math.round(street.travel.y + canvas.unit * 0.398);
	return { before: 4, reflection: { horizon, strength: wet ? 0.5 : 0.22, rough: 0.8, seed } };
}
