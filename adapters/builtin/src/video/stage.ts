import { hex } from './color.ts';
import { drawLayer, type Frame, fadeFrame } from './compose.ts';
import { loadFont } from './font.ts';
import { createLayer, type Layer } from './layer.ts';
import { drawParticles, type Particles, scatter } from './particles.ts';
import type { ScenePlan } from './plan.ts';
import { createRasterizer } from './raster.ts';
import { type Backdrop, paintBackdrop } from './scene/backdrop.ts';
import { buildScene } from './scene/build.ts';
import { createCanvas, type SceneItem, type Travel } from './scene/canvas.ts';
import { layOutTitle, type Title, titleSize, titleSvg } from './title.ts';

/** A scene with all its parts rasterised. Plain data in shared memory: threads pass it on without copying. */
export interface Stage {
	readonly kind: 'scene';
	readonly width: number;
	readonly height: number;
	readonly frames: number;
	readonly backdrop: Backdrop;
	readonly parts: readonly StagePart[];
	readonly fade: Fade;
}

/** Which ends of a video fade from or to black. */
export interface Fade {
	readonly in: boolean;
	readonly out: boolean;
}

type StagePart =
	| { readonly kind: 'layer'; readonly layer: Layer; readonly travel: Travel }
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
export async function buildStage(
	input: StageInput,
	check: () => void,
): Promise<{ stage: Stage; title: Title }> {
	const { plan, prompt, width, height, frames } = input;
	const font = await loadFont();
	const rasterize = await createRasterizer(font);
	const canvas = createCanvas(plan, { width, height }, frames);
	const title = layOutTitle(prompt, font, (width * 0.86) / titleSize(width, height));
	const plate = titleSvg(title, font, { width, height }, hex(plan.palette.accent));
	const items: SceneItem[] = [...buildScene(canvas)];
	if (plate) {
		items.push({
			kind: 'svg',
			svg: plate.svg,
			wraps: false,
			travel: { x: plate.x, y: plate.y, dx: 0 },
		});
	}
	const parts = items.map((item): StagePart => {
		check();
		if (item.kind === 'swarm') return { kind: 'particles', particles: scatter(item.swarm) };
		const pixels = item.kind === 'svg' ? rasterize(item.svg) : item.pixels;
		return { kind: 'layer', layer: createLayer(pixels, item.wraps), travel: item.travel };
	});
	check();
	const backdrop = paintBackdrop(plan, width, height);
	const fade = { in: plan.camera.fadeIn, out: plan.camera.fadeOut };
	return { stage: { kind: 'scene', width, height, frames, backdrop, parts, fade }, title };
}

/** Draws one frame of a stage. */
export function drawStage(stage: Stage, index: number, frame: Frame): void {
	frame.buffer.set(stage.backdrop);
	for (const part of stage.parts) {
		if (part.kind === 'particles') {
			drawParticles(frame, part.particles, index);
			continue;
		}
		const { x, y, dx, dy = 0, bob } = part.travel;
		const swing = bob ? Math.sin((index / bob.period + bob.phase) * Math.PI * 2) * bob.height : 0;
		drawLayer(frame, part.layer, x + dx * index, y + dy * index + swing);
	}
	fadeFrame(frame, fadeAt(stage.fade, index, stage.frames));
}

/** How bright a frame is while the video fades: half a second at each end. */
export function fadeAt(fade: Fade, index: number, frames: number): number {
	const length = Math.min(12, frames / 4);
	const start = fade.in ? Math.min(1, index / length) : 1;
	const end = fade.out ? Math.min(1, (frames - 1 - index) / length) : 1;
	return Math.min(start, end);
}
