import type { RawImage } from '@plinth/toolkit';
import { type Font, loadFont } from '../scene/font.ts';
import { scatter } from '../scene/particles.ts';
import type { SceneItem } from '../scene/parts/canvas.ts';
import { createRasterizer, type Rasterizer, svgOf } from '../scene/raster.ts';
import { type Caption, captionRows, drawCaption, layOutCaption } from './caption.ts';
import { compose } from './compose.ts';
import { type Finish, finish } from './finish.ts';
import { mirror } from './mirror.ts';
import type { PicturePlan } from './plan.ts';
import { paintSky } from './sky.ts';
import { drawParticles } from './stamp.ts';
import { createSurface, enlarge, fadeBorders, lay, type Surface, toImage } from './surface.ts';

/** What drawing needs besides the plan. */
export interface PaintJob {
	readonly plan: PicturePlan;
	/** In pixels. */
	readonly width: number;
	readonly height: number;
	/** How many unfinished states are shown on the way. */
	readonly partials: number;
}

/** A finished picture, and what its caption lacks. */
export interface Painted {
	readonly image: RawImage;
	readonly shortened: boolean;
	readonly incomplete: boolean;
}

/** One step of the work, and what can be seen after it. */
type Step = () => Surface;

/** Draws a plan, from the back to the front. `check` is called between the steps and may throw to stop. */
export async function paintPicture(
	{ plan, width, height, partials }: PaintJob,
	check: () => void,
	show: (image: RawImage) => void,
): Promise<Painted> {
	const fonts = [await loadFont('caption'), await loadFont()];
	const rasterize = await createRasterizer(...fonts);
	const caption = plan.caption && layOutCaption(plan.caption.text, fonts, { width, height });
	const hidden = caption && plan.caption?.place === 'bottom' ? captionRows(caption, height) : 0;
	const surface = createSurface(width, height);
	const steps = [...stepsOf(plan, surface, 1 - hidden / height, rasterize, check)];
	if (caption) {
		steps.push(() => write(caption, fonts, surface, plan, rasterize));
	}
	let shown = 0;
	for (const [i, step] of steps.entries()) {
		check();
		const state = step();
		const due = Math.floor(((i + 1) * (partials + 1)) / (steps.length + 1));
		if (due <= shown || shown >= partials) continue;
		show(toImage(sized(state, width, height)));
		shown++;
	}
	return {
		image: toImage(surface),
		shortened: caption?.shortened ?? false,
		incomplete: caption?.incomplete ?? false,
	};
}

/** The work up to the caption, in its order. A draft is drawn at half the size. `room` is the share of the height that stays free of a caption. */
function* stepsOf(
	plan: PicturePlan,
	surface: Surface,
	room: number,
	rasterize: Rasterizer,
	check: () => void,
): Generator<Step> {
	const draft = plan.finish === 'draft';
	const { width, height } = surface;
	const canvas = draft ? createSurface(Math.ceil(width / 2), Math.ceil(height / 2)) : surface;
	for (const draw of drawsOf(plan, canvas, room, rasterize, check)) {
		yield () => {
			draw();
			return canvas;
		};
	}
	yield () => {
		if (draft) enlarge(canvas, surface);
		if (plan.finish === 'lit' && !plan.transparent) finish(surface, lightOf(plan), check);
		return surface;
	};
}

function* drawsOf(
	plan: PicturePlan,
	surface: Surface,
	room: number,
	rasterize: Rasterizer,
	check: () => void,
): Generator<() => void> {
	const { sky, back, main, mirrored, bleeds } = compose(plan, surface, room * surface.height);
	if (!plan.transparent) {
		if (sky) yield () => paintSky(surface, sky, check);
		for (const item of back) yield () => drawItem(surface, item, rasterize);
	}
	for (const [i, item] of main.entries()) {
		if (i === mirrored?.before) yield () => mirror(surface, mirrored.reflection);
		yield () => drawItem(surface, item, rasterize);
	}
	if (plan.transparent && bleeds) yield () => fadeBorders(surface);
}

function drawItem(surface: Surface, item: SceneItem, rasterize: Rasterizer): void {
	if (item.kind === 'swarm') {
		drawParticles(surface, scatter(item.swarm));
		return;
	}
	const { x, y, bob } = item.travel;
	const swing = bob ? Math.sin(bob.phase * Math.PI * 2) * bob.height : 0;
	// Only what can be seen of a layer that repeats.
	const columns = item.wraps && x === 0 ? surface.width : undefined;
	const pixels = item.kind === 'svg' ? rasterize(svgOf(item.drawing, columns)) : item.paint(columns);
	lay(surface, pixels, Math.round(x), Math.round(y + swing), item.wraps && x !== 0);
}

function write(
	caption: Caption,
	fonts: readonly Font[],
	surface: Surface,
	plan: PicturePlan,
	rasterize: Rasterizer,
): Surface {
	const place = plan.caption?.place ?? 'bottom';
	// Nothing lies around the plate of a see-through picture, and its corners stay empty.
	const drawn = drawCaption(caption, fonts, surface, { place, shaded: !plan.transparent });
	if (drawn) lay(surface, rasterize(svgOf(drawn.drawing)), drawn.x, drawn.y, false);
	return surface;
}

function sized(state: Surface, width: number, height: number): Surface {
	if (state.width === width && state.height === height) return state;
	const whole = createSurface(width, height);
	enlarge(state, whole);
	return whole;
}

/** Light shines most in the dark; flat motifs need little of it. */
function lightOf({ genre, scene }: PicturePlan): Finish {
	const flat = genre === 'pattern' || genre === 'portrait' || genre === 'bouquet';
	const dark = scene.time === 'night' || scene.setting === 'space';
	const bloom = flat ? 0.2 : dark ? 2 : 1.2;
	return { bloom, vignette: flat ? 0.3 : 0.4, grain: 3, seed: scene.detailSeed };
}
