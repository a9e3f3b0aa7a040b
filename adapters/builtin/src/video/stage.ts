import { loadFont } from '../scene/font.ts';
import { type Particles, scatter } from '../scene/particles.ts';
import { buildScene } from '../scene/parts/build.ts';
import { createCanvas, type SceneItem, type Travel } from '../scene/parts/canvas.ts';
import type { ScenePlan } from '../scene/plan.ts';
import { createRasterizer, svgOf } from '../scene/raster.ts';
import { paintBackdrop } from './backdrop.ts';
import { createFrame, drawLayer, type Frame, fadeFrame } from './compose.ts';
import { createLayer, type Layer, solidFrom } from './layer.ts';
import { drawParticles } from './particles.ts';
import { layOutTitle, type Title, titleBand, titleSize } from './title.ts';

/** A scene with all its parts rasterised. Plain data in shared memory: threads pass it on without copying. */
export interface Stage {
	readonly kind: 'scene';
	readonly width: number;
	readonly height: number;
	readonly frames: number;
	/** A full frame in I420: what lies behind everything and never moves. */
	readonly backdrop: Uint8Array;
	/** What hangs in the sky, then what lies before it; back to front. */
	readonly sky: readonly StagePart[];
	readonly near: readonly StagePart[];
	readonly fade: Fade;
}

/** Which ends of a video fade from or to black. */
export interface Fade {
	readonly in: boolean;
	readonly out: boolean;
}

type StagePart =
	| {
			readonly kind: 'layer';
			readonly layer: Layer;
			readonly travel: Travel;
			/** The row of the frame from which on nearer parts hide this one. */
			readonly bottom: number;
	  }
	| { readonly kind: 'particles'; readonly particles: Particles };

/** What rasterising a stage needs. */
export interface StageInput {
	readonly plan: ScenePlan;
	readonly prompt: string;
	readonly width: number;
	readonly height: number;
	readonly frames: number;
}

/** Rasterises a plan. `check` is called between the steps and may throw to stop. */
export async function buildStage(input: StageInput, check: () => void): Promise<{ stage: Stage; title: Title }> {
	const { plan, prompt, width, height, frames } = input;
	const font = await loadFont();
	const rasterize = await createRasterizer(font);
	const title = layOutTitle(prompt, font, (width * 0.9) / titleSize(width, height));
	const band = titleBand(title, font, { width, height });
	// The scene is composed for what the band leaves of the frame, so that it hides nothing.
	const open = { width, height: band?.y ?? height };
	const scene = buildScene(createCanvas(plan, open, frames));
	const near: SceneItem[] = [...scene.near];
	// It wraps so that it counts as covering: what lies behind it is not drawn.
	if (band) {
		const travel = { x: 0, y: 0, dx: 0 };
		near.push({ kind: 'pixels', paint: () => rasterize(band.svg), width, wraps: true, travel });
	}
	const parts = [...scene.sky, ...near].map((item): StagePart => {
		check();
		if (item.kind === 'swarm') return { kind: 'particles', particles: scatter(item.swarm) };
		const pixels = item.kind === 'svg' ? rasterize(svgOf(item.drawing)) : item.paint();
		const layer = createLayer(pixels, item.wraps);
		return { kind: 'layer', layer, travel: item.travel, bottom: height };
	});
	check();
	const seen = hideCovered(parts, height);
	const stage: Stage = {
		kind: 'scene',
		width,
		height,
		frames,
		backdrop: paintBackdrop(plan, open, height),
		sky: seen.slice(0, scene.sky.length),
		near: seen.slice(scene.sky.length),
		fade: { in: plan.camera.fadeIn, out: plan.camera.fadeOut },
	};
	return { stage, title };
}

/** Draws frames of one source, in any order. */
export type Painter = (index: number, frame: Frame) => void;

/** Frames for which the sky stays as it is: soft and slow as clouds are, nobody sees it, and it saves a third of the work. */
const SKY_FRAMES = 2;

/** Makes the painter of a stage. It remembers the sky between frames; what it draws depends on the index alone. */
export function createStagePainter(stage: Stage): Painter {
	const sky = createFrame(stage.width, stage.height);
	let skyIndex = -1;
	return (index, frame) => {
		const wanted = index - (index % SKY_FRAMES);
		if (wanted !== skyIndex) {
			sky.buffer.set(stage.backdrop);
			for (const part of stage.sky) drawPart(part, wanted, sky);
			skyIndex = wanted;
		}
		frame.buffer.set(sky.buffer);
		for (const part of stage.near) drawPart(part, index, frame);
		fadeFrame(frame, fadeAt(stage.fade, index, stage.frames));
	};
}

function drawPart(part: StagePart, index: number, frame: Frame): void {
	if (part.kind === 'particles') {
		drawParticles(frame, part.particles, index);
		return;
	}
	const { x, y, dx, dy = 0, bob } = part.travel;
	const swing = bob ? Math.sin((index / bob.period + bob.phase) * Math.PI * 2) * bob.height : 0;
	drawLayer(frame, part.layer, x + dx * index, y + dy * index + swing, part.bottom);
}

/** Finds, from front to back, how far down each part can be seen: drawing what hills cover costs most of the time. */
function hideCovered(parts: readonly StagePart[], height: number): readonly StagePart[] {
	let bottom = height;
	return parts
		.toReversed()
		.map((part) => {
			if (part.kind === 'particles') return part;
			const { layer, travel } = part;
			const seen = { ...part, bottom };
			const swing = Math.ceil(travel.bob?.height ?? 0) + 1;
			const foot = travel.y + layer.top + layer.height - swing;
			if (!travel.dy && foot >= bottom) {
				const solid = Math.ceil(travel.y + layer.top + solidFrom(layer) + swing);
				bottom = Math.max(0, Math.min(bottom, (solid + 1) & ~1));
			}
			return seen;
		})
		.toReversed();
}

/** How bright a frame is while the video fades: half a second at each end. */
export function fadeAt(fade: Fade, index: number, frames: number): number {
	const length = Math.min(12, frames / 4);
	const start = fade.in ? Math.min(1, index / length) : 1;
	const end = fade.out ? Math.min(1, (frames - 1 - index) / length) : 1;
	return Math.min(start, end);
}
