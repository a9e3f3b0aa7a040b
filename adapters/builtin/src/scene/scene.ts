import { drawCaption } from './caption.ts';
import { drawBuildings, drawForest, drawMountains, drawRidge, drawTrees } from './land.ts';
import { mix } from './palette.ts';
import type { ScenePlan } from './plan.ts';
import { drawAir, drawClouds, drawSky } from './sky.ts';
import { createStage, repeat, type Stage, surfaceOf, veil } from './stage.ts';
import { drawSubject } from './subjects.ts';

/** The parts of a scene, back to front. `alone` is the subject without its surroundings. */
const layers = {
	sky: drawSky,
	clouds: drawClouds,
	far: drawFar,
	near: drawNear,
	air: drawAir,
	alone: (stage: Stage) => drawSubject(stage) || drawFar(stage) + drawNear(stage),
};
/** What to draw, and the size in pixels before `scale`. */
export interface SceneOptions {
	readonly width: number;
	readonly height: number;
	readonly scale?: number;
	readonly only?: readonly (keyof typeof layers)[];
	readonly caption?: string;
}

/** Draws a scene as an SVG document. Equal plans and options give equal documents. */
export function sceneSvg(plan: ScenePlan, options: SceneOptions): string {
	const { only = ['sky', 'clouds', 'far', 'near', 'air'], scale = 1, caption = '' } = options;
	const stage = createStage(plan, surfaceOf(options));
	// Rounded: functions like `Math.sin` may differ between machines in the last digits.
	const round = (number: string): string => Number(number).toFixed(3);
	const parts = only.map((layer) => layers[layer](stage).replace(/-?\d+\.\d{4,}(e-\d+)?/g, round));
	const [width, height] = [options.width, options.height].map((side) => Math.ceil(side * scale));
	const box = `viewBox="0 0 ${stage.width} ${stage.height}" preserveAspectRatio="none"`;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ${box}>
		${parts.join('')}${drawCaption(caption, stage)}</svg>`;
}

/** Draws the distant part of a scene, the water that mirrors it, and light mist over the horizon. */
function drawFar(stage: Stage): string {
	const { horizon, unit, row, setting, weather, palette } = stage;
	const ridges = [0.04, 0.24, 0.44].map((near) => drawRidge(stage, near, row(near * 0.8 - 0.08)));
	const far = {
		sea: () => drawRidge(stage, 0.05, horizon, 0.09) + drawRidge(stage, 0.2, horizon + unit * 0.03, 0.1),
		lake: () => drawMountains(stage) + drawTrees(stage, 0.4, horizon + 3, unit * 0.085, 46),
		mountains: () => drawMountains(stage) + ridges.join(''),
		forest: () => [0.08, 0.24, 0.42].map((near) => drawForest(stage, near)).join(''),
		city: () => [0.06, 0.26, 0.52].map((near) => drawBuildings(stage, near)).join(''),
		sky: () => '',
	}[setting]();
	const mistOpacity = { rain: 0.5, snow: 0.45, clouds: 0.3, clear: 0.26 }[weather];
	const stops = `0 ${palette.haze} 0, .62 ${palette.haze} ${mistOpacity}, 1 ${palette.haze} 0`;
	const mist = setting === 'sky' ? '' : veil(stage, 'haze', horizon - unit * 0.2, horizon + unit * 0.12, stops);
	return `<g id="far">${far}</g>${stage.isWet ? drawWater(stage) : ''}${mist}`;
}

/** Draws the foreground and the subject. */
function drawNear(stage: Stage): string {
	const { height, unit, row } = stage;
	const slope = (near: number, at: number, size: number, density: number, gap = 0): string =>
		drawTrees(stage, near, row(at) + unit * 0.03, unit * size, density, gap) + drawRidge(stage, near, row(at), 0.035);
	const front = {
		sea: () => drawRidge(stage, 0.99, height * 1.01, 0.04),
		lake: () =>
			drawRidge(stage, 0.99, height, 0.03) + drawTrees(stage, 0.97, height + unit * 0.03, unit * 0.34, 9, 0.3),
		mountains: () => slope(0.55, 0.5, 0.13, 30) + slope(0.8, 0.82, 0.2, 17) + slope(1, 1.06, 0.36, 10, 0.17),
		forest: () => drawForest(stage, 0.64) + drawForest(stage, 0.92),
		city: () => '',
		sky: () => drawRidge(stage, 0.4, row(0.4)) + drawRidge(stage, 0.6, row(0.6)) + slope(0.98, 1.04, 0.26, 12, 0.1),
	}[stage.setting]();
	return drawSubject(stage) + front;
}

/** Draws water from the horizon down. It mirrors the group `far`, and the light. */
function drawWater(stage: Stage): string {
	const { width, height, horizon } = stage;
	const { sky, water, haze, ink } = stage.palette;
	const [deep, edge] = [mix(water, ink, 0.5), mix(mix(haze, sky[3], 0.5), water, 0.15)];
	const stops = `0 ${edge}, .16 ${mix(sky[3], water, 0.3)}, .5 ${mix(sky[2], water, 0.62)}, 1 ${deep}`;
	const size = `x="-50" y="${horizon}" width="${width + 100}" height="${height - horizon}"`;
	return `<filter id="ripple" filterUnits="userSpaceOnUse" ${size} color-interpolation-filters="sRGB">
		<feTurbulence type="turbulence" baseFrequency=".006 .085" numOctaves="2" seed="${stage.seed % 983}" result="noise"/>
		<feDisplacementMap in="SourceGraphic" in2="noise" scale="34" xChannelSelector="R" yChannelSelector="G"/></filter>
		<clipPath id="basin"><rect ${size}/></clipPath>${veil(stage, 'water', horizon, height, stops)}
		<g clip-path="url(#basin)"><g filter="url(#ripple)">
		<use href="#far" transform="matrix(1 0 0 -.85 0 ${horizon * 1.85})" opacity=".8"/></g>
		${veil(stage, 'deep', horizon, height, `0 ${sky[3]} .12, .3 ${water} .38, 1 ${deep} .93`)}${drawWaves(stage)}</g>`;
}

/** Long thin waves, and the path of light under sun or moon. All are small at the horizon. */
function drawWaves(stage: Stage): string {
	const { width, height, horizon, unit, light } = stage;
	const { sky, light: glow, haze, ink } = stage.palette;
	const random = stage.random('waves');
	const shine = stage.isCovered ? 0 : { dawn: 1, day: 0.45, dusk: 1, night: 0.7 }[stage.time];
	return repeat(340, (i) => {
		const [isGlint, near] = [i > 190, random.next() ** 1.4];
		const x = light.x + (random.next() + random.next() - 1) * light.r * (0.8 + near * 2);
		const cx = isGlint ? x : random.range(-0.1, 1.1) * width;
		const long = unit * (isGlint ? 0.008 + near * 0.035 : 0.02 + near * 0.13) * random.range(0.4, 1.4);
		const opacity = isGlint ? shine * random.range(0.3, 0.95) * (1 - near * 0.7) : random.range(0.08, 0.26);
		const fill = isGlint ? mix(glow, haze, 0.2) : random.pick([mix(sky[3], glow, 0.25), ink]);
		return `<ellipse cx="${cx}" cy="${horizon + 3 + near * (height - horizon)}" rx="${long}"
			ry="${0.5 + near * 1.8}" fill="${fill}" opacity="${opacity}"/>`;
	});
}
