import type { RawImage } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { quotationIn } from '../../src/image/caption-text.ts';
import { paintPicture } from '../../src/image/paint.ts';
import { type PicturePlan, planPicture } from '../../src/image/plan.ts';
import { distance } from './fakes.ts';

const wish = { seed: 1, transparent: false, quality: 'high' } as const;
const plan = (prompt: string) => planPicture({ ...wish, prompt });

describe('the words of a plan', () => {
	it('tell what is drawn, and which words nobody understood', () => {
		expect(plan('Mountains at dusk under clouds with a lighthouse, a unicorn and a bicycle').words).toBe(
			'A drawn scene: mountains at dusk under clouds, with a lighthouse. Not understood: unicorn, bicycle.',
		);
	});

	it('say what stands for a word that has no shape of its own', () => {
		expect(plan('a fox in the snow').words).toContain('a dog for “fox”');
	});

	it('name known things for which there is no room', () => {
		expect(plan('a cat and a dog in a meadow').words).toContain('Left out: dog.');
	});

	it('do not call expressions of several words misunderstood', () => {
		const { words } = plan('A hot air balloon under northern lights and a full moon');
		expect(words).not.toContain('Not understood');
	});

	it('stay short for a prompt of 32,000 letters', () => {
		const words = Array.from({ length: 4000 }, (_, i) => `zz${i}`).join(' ');
		expect(plan(words).words.length).toBeLessThan(600);
		expect(plan('x'.repeat(32_000)).words.length).toBeLessThan(600);
	});

	it('do not read what is to be written as something to draw', () => {
		const { plan: made } = plan('A desert with the words "Ocean sale"');
		expect(made.scene.setting).toBe('desert');
	});
});

describe('what kind of picture it is', () => {
	it.each([
		['a portrait of a queen', 'portrait'],
		['a still life with apples', 'bouquet'],
		['tulips', 'bouquet'],
		['a cat among tulips', 'scene'],
		['geometric tiles', 'pattern'],
		['the rolling hills of Tuscany', 'hills'],
		['mountains', 'scene'],
	])('"%s" is a %s', (prompt, genre) => {
		expect(plan(prompt).plan.genre).toBe(genre);
	});

	it.each([
		['a whale under water', { setting: 'underwater', subject: 'whale' }],
		['a lake in the mountains', { setting: 'lake' }],
		['a rainbow over a field', { time: 'day' }],
	])('"%s" is set where it belongs', (prompt, expected) => {
		expect(plan(prompt).plan.scene).toMatchObject(expected);
	});

	it('gives the colour before a thing to that thing, and leaves the scene its own', () => {
		const { palette } = plan('a red car in the city').plan.scene;
		expect(palette.accent).toEqual([216, 52, 44]);
		const { palette: all } = plan('a red city with a car').plan.scene;
		expect(Math.max(...all.sky[0]) - all.sky[0][0]).toBeLessThan(Math.max(...palette.sky[0]) - palette.sky[0][0]);
	});

	it('has no boat above the roofs of a city with a harbour', () => {
		expect(plan('fireworks over the city harbour').plan.scene.subject).toBeUndefined();
	});
});

describe('what is to be left out', () => {
	it.each([
		['a lake without clouds or birds', ['clouds', 'birds']],
		['a night city without a moon', ['moon']],
		['a meadow, no sun, no rain', ['sun', 'rain']],
		['no dark clouds over the sea', ['clouds']],
	])('is left out: %s', (prompt, names) => {
		const { plan: made, words } = plan(prompt);
		expect(made.scene.without).toEqual(names);
		expect(made.scene.elements).not.toEqual(expect.arrayContaining([names[0]]));
		expect(words).not.toMatch(/left out|Not understood/i);
	});

	it('is not what stands beside it', () => {
		const { plan: made, words } = plan('no sky, no sun, nothing but a tree');
		expect(made.scene).toMatchObject({ subject: 'tree', without: ['sun'] });
		expect(words).toContain('with a tree');
		expect(words).toContain('Cannot be left out: sky.');
	});

	it('is nothing where a word only denies', () => {
		expect(plan('a dog, not in the city').plan.scene.without).toBeUndefined();
		expect(plan('mountains, no people').plan.scene.subject).toBeUndefined();
	});

	it.each(['sun', 'clouds'] as const)('does not show: %s', async (name) => {
		const draw = async (made: PicturePlan) => {
			const job = { plan: made, width: 96, height: 96, partials: 0 };
			const { image } = await paintPicture(
				job,
				() => {},
				() => {},
			);
			return image;
		};
		const whole = plan('the sky at noon').plan;
		const bare = { ...whole, scene: { ...whole.scene, without: [name] } };
		expect(distance(await draw(whole), await draw(bare))).toBeGreaterThan(0.002);
	});
});

describe('a long prompt', () => {
	it('is read to its end', () => {
		const { plan: made } = plan(`${'zz '.repeat(9000)} a lighthouse in the desert`);
		expect(made.scene).toMatchObject({ subject: 'lighthouse', setting: 'desert' });
	});

	it.each([
		["says 'A b ", 3200],
		['no sun or ', 3200],
		["'A'b", 8000],
		['says A/A/A', 3200],
	])('takes linear time: %s', (part, times) => {
		const started = process.cpuUsage();
		plan(part.repeat(times));
		expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
	});
});

describe('the sea of clouds', () => {
	it('ends in no straight line', async () => {
		for (const seed of [1, 3, 5, 8]) {
			const { plan: made } = planPicture({ ...wish, seed, prompt: 'above the clouds' });
			const { image } = await paintPicture(
				{ plan: made, width: 256, height: 256, partials: 0 },
				() => {},
				() => {},
			);
			expect(straightest(image)).toBeLessThan(26);
		}
	});
});

/** Of all rows, the most pixels that differ clearly from those below. */
function straightest({ width, height, data }: RawImage): number {
	let most = 0;
	for (let y = 60; y < height - 10; y++) {
		let count = 0;
		for (let x = 0; x < width; x++) {
			const at = (y * width + x) * 4 + 1;
			if (Math.abs((data[at] as number) - (data[at + width * 4] as number)) > 14) count++;
		}
		most = Math.max(most, count);
	}
	return most;
}

describe('the passage that is to be written', () => {
	it.each([
		['a card that says "Happy birthday" in red', 'Happy birthday'],
		['“Curly quotes” over the sea', 'Curly quotes'],
		['ein Plakat „Guten Morgen“ im Wald', 'Guten Morgen'],
		['une affiche « Bonjour » au soleil', 'Bonjour'],
		["a sign that says 'Don't feed the ducks' by a lake", "Don't feed the ducks"],
		["a poster 'Grand Opening'", 'Grand Opening'],
		['a lake, caption: Gone sailing', 'Gone sailing'],
		['a banner that says Welcome Home in red', 'Welcome Home'],
		['hills with the words Harvest Festival 2026 on top', 'Harvest Festival 2026'],
		['a sign “先生 Café №5”', '先生 Café №5'],
		['a shop sign says OPEN 24/7', 'OPEN 24/7'],
	])('of %s is "%s"', (prompt, text) => {
		expect(quotationIn(prompt)?.text).toBe(text);
	});

	it.each([
		'no quotes here',
		"the boys' house and the girls' garden",
		"a rock 'n' roll band in the '90s",
		'a 5" by 7" photograph',
		'""',
		'an unfinished "quote',
	])('is missing in %s', (prompt) => {
		expect(quotationIn(prompt)).toBeUndefined();
	});

	it('alone is not called misunderstood', () => {
		expect(plan('“Qwertz quote”').words).not.toContain('Not understood');
		expect(plan('quote: “Qwertz”').words).not.toContain('Not understood');
	});

	it('stands at the top where the prompt says so', () => {
		expect(plan('hills, "Up here" at the top').plan.caption?.place).toBe('top');
		expect(plan('hills, "Down here"').plan.caption?.place).toBe('bottom');
	});
});
