import type { Setting } from '../lexicon.ts';
import { abstract } from './abstract.ts';
import { airItems, skyItems } from './air.ts';
import type { Canvas, SceneItem } from './canvas.ts';
import { city } from './city.ts';
import { desert, meadow, mountains, winter } from './land.ts';
import { space } from './space.ts';
import { flying } from './subjects.ts';
import { underwater } from './underwater.ts';
import { lake, sea } from './water.ts';
import { forest } from './woods.ts';

const settings: Record<Setting, (canvas: Canvas) => SceneItem[]> = {
	sea,
	lake,
	mountains,
	forest,
	meadow,
	city,
	desert,
	winter,
	space,
	underwater,
	sky: () => [],
	abstract,
};

/** Lists everything that is drawn over the backdrop, back to front: first what hangs in the sky, then all the rest. */
export function buildScene(canvas: Canvas): {
	readonly sky: readonly SceneItem[];
	readonly near: readonly SceneItem[];
} {
	const place = settings[canvas.plan.setting](canvas);
	return { sky: skyItems(canvas), near: [...place, ...flying(canvas), ...airItems(canvas)] };
}
