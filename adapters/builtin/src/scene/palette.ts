import { adjust, mix, type Rgb, rgb, tint } from './color.ts';
import type { Setting, Time, Weather } from './lexicon.ts';
import type { Random } from './random.ts';

/** The colours of one scene. */
export interface Palette {
	/** From the top of the picture to the horizon. */
	readonly sky: readonly [Rgb, Rgb, Rgb, Rgb];
	/** Sun or moon, and its glow. */
	readonly light: Rgb;
	/** Lit ground at a middle distance. */
	readonly land: Rgb;
	/** The nearest, darkest shapes. */
	readonly ink: Rgb;
	readonly water: Rgb;
	/** Sails, flowers, windows. */
	readonly accent: Rgb;
	readonly cloud: Rgb;
	readonly cloudShade: Rgb;
}

/** Four sky colours, top to horizon, then the light. */
type Sky = readonly [string, string, string, string, string];

const skies: Record<Time, readonly Sky[]> = {
	dawn: [
		['#34477f', '#8f78ad', '#f0a58f', '#ffdfae', '#fff1cf'],
		['#2f5d8c', '#7fa3c4', '#f3c3b0', '#ffe6c2', '#fff3d8'],
		['#4a3f7a', '#b0709f', '#f58f86', '#ffc9a0', '#ffe9c4'],
	],
	day: [
		['#1f6fc9', '#5aa5e6', '#a9d6f2', '#e4f3f6', '#fffbe6'],
		['#1d8bc4', '#5fbfe0', '#b4e3ea', '#f2f4e2', '#fff8da'],
		['#3a7bd0', '#7fb2ea', '#c2dcf5', '#f7efe4', '#fffdf0'],
	],
	dusk: [
		['#1f2455', '#6a3a78', '#dd6a5e', '#ffc272', '#fff0b8'],
		['#2b1f4a', '#8a3568', '#f0674e', '#ffb45c', '#ffe9a6'],
		['#173a5e', '#4f5f8f', '#e08a6a', '#ffd08a', '#fff2c6'],
	],
	night: [
		['#050a1e', '#0c1a3e', '#1b3363', '#3a5585', '#eef3ff'],
		['#080818', '#181440', '#33265f', '#5a4580', '#f6f0ff'],
		['#03131c', '#07283a', '#12485a', '#2f6f78', '#ecfbff'],
	],
};

/** Ground in daylight. */
const lands: Record<Setting, readonly string[]> = {
	sea: ['#3f6f66', '#5b7a6a'],
	lake: ['#3c6b58', '#47707f'],
	mountains: ['#5d7590', '#6b7488', '#57808a'],
	forest: ['#3f7a4d', '#55803f', '#2f6f5c'],
	meadow: ['#6da544', '#8aae46', '#52a06a'],
	city: ['#4d5f84', '#5b5878', '#46707f'],
	desert: ['#dda25a', '#d88a5a', '#e0b878'],
	winter: ['#c8dcec', '#d4e0ea', '#bcd2ea'],
	space: ['#4a3f7a', '#2f5d8c', '#7a3f6a'],
	underwater: ['#1f6f7a', '#23608a'],
	sky: ['#8fa8c8', '#a59cc0'],
	abstract: ['#6a5fc0', '#c05f8a', '#3f9f9a', '#d08a4a'],
};

const special: Partial<Record<Setting, readonly Sky[]>> = {
	space: [
		['#02030c', '#070a24', '#150f38', '#2a1650', '#fff4e0'],
		['#01060c', '#04142a', '#0a2c48', '#123f5c', '#f0fbff'],
		['#0a020c', '#22081f', '#421030', '#5c1f3a', '#fff0e0'],
	],
	underwater: [
		['#8fe6e0', '#23a3b8', '#0b5f8a', '#04294d', '#e9fff8'],
		['#7fd0f0', '#1f86c0', '#0f4a8f', '#061f4f', '#eaf8ff'],
		['#a5ecc8', '#27a890', '#0a6a70', '#053545', '#f2ffe8'],
	],
};

const accents = ['#f2603c', '#f4c542', '#e8466a', '#3fc1c9', '#f08ab0', '#f7f3e8', '#8fd14f'];
const brightness: Record<Time, number> = { dawn: 0.9, day: 1, dusk: 0.72, night: 0.42 };

/** Chooses the colours of a scene; `color`, a colour word of the prompt, tints all of them. */
export function choosePalette(
	scene: { setting: Setting; time: Time; weather: Weather; color?: string },
	random: Random,
): Palette {
	const { setting, time, weather } = scene;
	const turn = random.range(-16, 16);
	const wish = scene.color ? rgb(scene.color) : undefined;
	const shade = (color: Rgb, amount: number): Rgb => {
		const turned = adjust(color, turn);
		return wish ? tint(turned, wish, amount) : turned;
	};
	const chosen = random.pick(special[setting] ?? skies[time]);
	const sky = chosen.slice(0, 4).map((color, i) => overcast(shade(rgb(color), 0.55), weather, i));
	const [top, , low, horizon] = sky as [Rgb, Rgb, Rgb, Rgb];
	const lit = adjust(shade(rgb(random.pick(lands[setting])), 0.6), 0, 1);
	const land = mix(mix(rgb('#0a1020'), lit, brightness[time]), low, time === 'day' ? 0.06 : 0.16);
	const ink = mix(mix(land, rgb('#070b16'), time === 'day' ? 0.5 : 0.74), top, 0.1);
	const bright = time === 'night' ? mix(horizon, rgb('#aebbd8'), 0.25) : mix(horizon, rgb('#ffffff'), 0.55);
	return {
		sky: sky as unknown as Palette['sky'],
		light: rgb(chosen[4]),
		land,
		ink,
		water: waterColor(time, sky as unknown as Palette['sky']),
		accent: wish ? mix(rgb(random.pick(accents)), wish, 0.75) : rgb(random.pick(accents)),
		cloud: overcast(bright, weather, 3),
		cloudShade: overcast(mix(low, top, time === 'night' ? 0.35 : 0.3), weather, 1),
	};
}

/** Water mirrors the sky; only by day it has a colour of its own, which would turn grey in a red light. */
function waterColor(time: Time, [top, middle, low]: Palette['sky']): Rgb {
	if (time === 'day') return mix(mix(top, rgb('#1580a8'), 0.5), low, 0.1);
	if (time === 'night') return mix(mix(top, rgb('#0d3a5c'), 0.4), low, 0.12);
	return adjust(mix(top, middle, 0.42), 0, 1.1, -0.04);
}

/** Bad weather takes colour out of the sky; fog also lifts its dark parts. */
function overcast(color: Rgb, weather: Weather, step: number): Rgb {
	switch (weather) {
		case 'storm':
			return mix(adjust(color, 0, 0.35, -0.1), rgb('#2c333f'), 0.45 - step * 0.06);
		case 'rain':
			return mix(adjust(color, 0, 0.55, -0.04), rgb('#5d6b7c'), 0.4 - step * 0.05);
		case 'fog':
			return mix(adjust(color, 0, 0.6), rgb('#c3ccd2'), 0.18 + step * 0.08);
		case 'snow':
			return mix(adjust(color, 0, 0.65), rgb('#aebccc'), 0.3);
		default:
			return color;
	}
}
