import type { VideoRequest } from '@plinth/plugin-video/model';
import { planScene, type ScenePlan } from '../scene/plan.ts';
import { type SceneOptions, sceneSvg } from '../scene/scene.ts';
import { quotationOf } from '../scene/words.ts';
import { room } from './camera.ts';
import type { Motion } from './layer.ts';

/** A layer to draw. */
export interface Part {
	readonly svg: string;
	readonly motion: Motion;
}

type Size = Pick<SceneOptions, 'width' | 'height'>;

/** Lists the layers of a video, back to front: a scene unless there is a reference picture, and the caption. */
export function partsOf({ prompt, size, reference, remixOf }: VideoRequest, seed: number): readonly Part[] {
	const plan = planScene({ prompt, seed, remixOf: remixOf?.prompt });
	const caption = captionOf({ prompt, ...(reference && { reference }) });
	const title = { svg: sceneSvg(plan, { ...size, only: [], caption }), motion: { depth: 0 } };
	return [...(reference ? [] : sceneParts(plan, size)), ...(caption ? [title] : [])];
}

/** The text on a video: a quoted passage, or the whole prompt on a drawn scene. */
export function captionOf({ prompt, reference }: Pick<VideoRequest, 'prompt' | 'reference'>): string {
	return quotationOf(prompt)?.text ?? (reference ? '' : prompt);
}

/** The layers of a scene. Distant ones follow the camera less. */
function sceneParts(plan: ScenePlan, frame: Size): readonly Part[] {
	const part = (layer: 'sky' | 'clouds' | 'far' | 'near' | 'air', motion: Motion, scale = 1): Part => {
		return { svg: sceneSvg(plan, { ...canvasOf(frame, motion.depth), only: [layer], scale }), motion };
	};
	const fall = frame.height * (plan.weather === 'rain' ? 0.065 : 0.006);
	const wind = frame.width * (plan.isLeft ? 0.0001 : -0.0001);
	const air = part('air', { depth: 0, drift: { x: fall * -0.16, y: fall }, isEndless: true });
	return [
		part('sky', { depth: 0.25 }),
		// Half the pixels are enough for soft shapes.
		part('clouds', { depth: 0.35, drift: { x: wind, y: 0 } }, 0.5),
		part('far', { depth: 0.6, ...(plan.isWet && { waterline: plan.horizon }) }),
		part('near', { depth: 1 }),
		...(plan.isCovered ? [air] : []),
	];
}

/** The size of a layer's picture. A layer that follows the camera more extends further beyond the frame. */
export function canvasOf({ width, height }: Size, depth: number): Size {
	const even = (side: number): number => Math.round((side * (1 + (room - 1) * depth)) / 2) * 2;
	return { width: even(width), height: even(height) };
}
