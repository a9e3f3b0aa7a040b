import { Resvg } from '@resvg/resvg-wasm';
import { describe, expect, it } from 'vitest';
import { drawCaption, layOutCaption } from '../../src/scene/caption.ts';
import { planScene } from '../../src/scene/plan.ts';
import { rasterise } from '../../src/scene/rasterise.ts';
import { sceneSvg } from '../../src/scene/scene.ts';
import { surfaceOf } from '../../src/scene/stage.ts';
import { quotationOf, readPrompt, settings } from '../../src/scene/words.ts';

const size = { width: 96, height: 64 };

describe('the words of a prompt', () => {
	it.each([
		['A lighthouse above the sea at sunset', { setting: 'sea', time: 'dusk', subject: 'lighthouse' }],
		['A castle in the mountains at dusk', { setting: 'mountains', time: 'dusk', subject: 'castle' }],
		['A forest in the rain', { setting: 'forest', weather: 'rain' }],
		['Snowy woods at dawn', { setting: 'forest', weather: 'snow', time: 'dawn' }],
		['A city at night', { setting: 'city', time: 'night' }],
		['A meadow in the fog', { setting: 'mountains', weather: 'clouds' }],
		['The night sky', { setting: 'sky', time: 'night' }],
	])('are read: %s', (prompt, meaning) => {
		expect(readPrompt(prompt)).toEqual({ ...meaning, unknown: [] });
	});

	it('that are unknown are reported once', () => {
		expect(readPrompt('a zorblax and a zorblax in a purple forest').unknown).toEqual(['zorblax', 'purple']);
	});

	it.each([
		['A forest, "The quiet path"', 'The quiet path'],
		['A forest „Der Weg“', 'Der Weg'],
		['A forest «Le chemin»', 'Le chemin'],
		['A boat, caption: Gone sailing', 'Gone sailing'],
		["Roses with the words 'Happy Mother's Day'", "Happy Mother's Day"],
		['A forest', undefined],
	])('can ask for written text: %s', (prompt, text) => {
		expect(quotationOf(prompt)?.text).toBe(text);
	});

	it('do not select a scene when they are only text to be written', () => {
		expect(readPrompt('a forest that says "night city"')).toEqual({ setting: 'forest', unknown: [] });
	});
});

describe('a scene', () => {
	it('is the same for the same plan, and different for another seed', () => {
		const draw = (seed: number) => sceneSvg(planScene({ prompt: 'a city', seed }), size);
		expect(draw(1)).toBe(draw(1));
		expect(draw(1)).not.toBe(draw(2));
	});

	it('is chosen by the hash of unknown words', () => {
		const places = Array.from({ length: 40 }, (_, i) => planScene({ prompt: `word${i}`, seed: 1 }).setting);
		expect(new Set(places).size).toBeGreaterThan(4);
		expect(planScene({ prompt: 'word1', seed: 1 }).setting).toBe(planScene({ prompt: 'word1', seed: 2 }).setting);
	});

	it('of a remix takes from the original prompt what its own words leave open', () => {
		const plan = planScene({ prompt: 'at dawn', seed: 1, remixOf: 'a castle by a lake at night' });
		expect(plan).toMatchObject({ setting: 'lake', time: 'dawn', subject: 'castle' });
	});

	it.each([
		[64, 64],
		[64, 3840],
		[3840, 64],
	])('contains only finite numbers at %d by %d', { timeout: 30_000 }, (width, height) => {
		for (const setting of settings) {
			const plan = planScene({ prompt: `${setting} with a castle in the snow`, seed: 3 });
			expect(sceneSvg(plan, { width, height })).not.toMatch(/NaN|Infinity|undefined/);
		}
	});

	it('has no edges of clouds near its border', async () => {
		const plan = planScene({ prompt: 'mountains with clouds by day', seed: 3 });
		const { width, data } = await rasterise(sceneSvg(plan, { width: 1024, height: 1024 }));
		const rows = Array.from({ length: 30 }, (_, y) => {
			let sum = 0;
			for (let x = 0; x < width; x++) sum += data[(y * width + x) * 4] ?? 0;
			return sum / width;
		});
		const steps = rows.slice(1).map((brightness, y) => Math.abs(brightness - (rows[y] ?? 0)));
		expect(Math.max(...steps)).toBeLessThan(3);
	});

	it('is opaque and has the requested size', async () => {
		const { width, height, data } = await rasterise(sceneSvg(planScene({ prompt: 'a forest', seed: 1 }), size));
		expect([width, height]).toEqual([96, 64]);
		expect(data.every((part, i) => i % 4 !== 3 || part === 255)).toBe(true);
	});
});

describe('a caption', () => {
	it.each([
		'WWWWW MMMMM @@@@@ %%%%%',
		'Ширина ЖЩЮ щщщ',
		'Ωμέγα ωωω Ψψ',
		'Ordinary words, set in two lines or more: “like these”',
		'Donaudampfschifffahrtsgesellschaftskapitän',
	])('fits into the width: %s', async (text) => {
		await rasterise('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
		for (const shape of [size, { width: 64, height: 192 }, { width: 1024, height: 1024 }]) {
			const surface = surfaceOf(shape);
			const caption = layOutCaption(text, surface);
			const plan = planScene({ prompt: '', seed: 1 });
			const { data, width } = await rasterise(
				sceneSvg(plan, { width: 400, height: 400 * (shape.height / shape.width), only: [], caption: text }),
			);
			expect(caption.lines.length).toBeLessThanOrEqual(4);
			const border = data.filter((_, i) => (i >> 2) % width < 8 || (i >> 2) % width >= width - 8);
			expect(Math.max(...border.filter((_, i) => i % 4 !== 3))).toBeLessThan(60);
		}
	});

	it('escapes XML characters', () => {
		const surface = surfaceOf(size);
		expect(
			() =>
				new Resvg(
					`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${drawCaption('<a> & "b"', surface)}</svg>`,
				),
		).not.toThrow();
	});

	it('warns about the characters that it lacks', () => {
		const warningsOf = (text: string) => layOutCaption(text, surfaceOf(size)).warnings;
		expect(warningsOf('A short one')).toEqual([]);
		expect(warningsOf('many words '.repeat(60))).toEqual([expect.stringContaining('shortened')]);
		expect(warningsOf('🦊')).toEqual([expect.stringContaining('leaves out')]);
	});
});
