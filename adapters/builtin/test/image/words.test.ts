import { describe, expect, it } from 'vitest';
import { quotationIn } from '../../src/image/caption-text.ts';
import { planPicture } from '../../src/image/plan.ts';

const wish = { seed: 1, transparent: false, quality: 'high' } as const;
const plan = (prompt: string) => planPicture({ ...wish, prompt });

describe('the words of a plan', () => {
	it('tell what is drawn, and which words nobody understood', () => {
		expect(
			plan('Mountains at dusk under clouds with a lighthouse, a unicorn and a bicycle').words,
		).toBe(
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
		expect(Math.max(...all.sky[0]) - all.sky[0][0]).toBeLessThan(
			Math.max(...palette.sky[0]) - palette.sky[0][0],
		);
	});

	it('has no boat above the roofs of a city with a harbour', () => {
		expect(plan('fireworks over the city harbour').plan.scene.subject).toBeUndefined();
	});
});

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

	it('stands at the top where the prompt says so', () => {
		expect(plan('hills, "Up here" at the top').plan.caption?.place).toBe('top');
		expect(plan('hills, "Down here"').plan.caption?.place).toBe('bottom');
	});
});
