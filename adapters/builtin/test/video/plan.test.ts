import { describe, expect, it } from 'vitest';
import { cameraWords } from '../../src/scene/motion.ts';
import { planScene } from '../../src/scene/plan.ts';
import { quotedPart, wordsOf } from '../../src/scene/prompt.ts';
import { planPath } from '../../src/video/picture.ts';

const plan = (prompt: string, seed = 1) => planScene({ prompt, seed });

describe('a scene plan', () => {
	it('gives twelve different pictures for twelve prompts, also when nobody knows their words', () => {
		const prompts = [
			'A lighthouse at dusk',
			'Snowy mountains at night',
			'A cat in a garden',
			'Neon city in the rain',
			'The desert at noon',
			'A whale under water',
			'A rocket near a planet',
			'quarterly revenue meeting',
			'zorblax frumious qwerty',
			'accounting with tangent vectors',
			'Fahrvergnügen',
			'hello',
		];
		const looks = prompts.map((prompt) => {
			const { palette, setting, horizon, light } = plan(prompt);
			return JSON.stringify([palette, setting, horizon, light]);
		});
		expect(new Set(looks).size).toBe(12);
	});

	it('follows the words for place, hour, weather and subject', () => {
		expect(plan('a foggy harbour at dawn with a sailboat')).toMatchObject({
			setting: 'sea',
			time: 'dawn',
			weather: 'fog',
			subject: 'boat',
		});
		expect(plan('cats in the city during a thunderstorm at midnight')).toMatchObject({
			setting: 'city',
			time: 'night',
			weather: 'storm',
			subject: 'cat',
		});
	});

	it('prefers a named place to the usual home of a thing', () => {
		expect(plan('a cat').setting).toBe('meadow');
		expect(plan('a cat on the beach').setting).toBe('sea');
	});

	it('tints the palette with a colour word', () => {
		const [plain, red] = [plan('a hill'), plan('a red hill')];
		expect(red.palette.accent).not.toEqual(plain.palette.accent);
	});

	it('is equal for equal prompts and seeds, and differs in details for another seed', () => {
		expect(plan('a hill', 3)).toEqual(plan('a hill', 3));
		expect(plan('a hill', 3).detailSeed).not.toBe(plan('a hill', 4).detailSeed);
	});

	it('keeps the composition of a remixed video, while new words win', () => {
		const original = plan('a sailboat on the sea at dusk');
		const remix = planScene({
			prompt: 'make it snow at night',
			remixOf: 'a sailboat on the sea at dusk',
			seed: 9,
		});
		expect(remix).toMatchObject({
			setting: 'winter',
			time: 'night',
			weather: 'snow',
			subject: 'boat',
		});
		const calm = planScene({
			prompt: 'with fog',
			remixOf: 'a sailboat on the sea at dusk',
			seed: 9,
		});
		expect(calm).toMatchObject({ setting: 'sea', time: 'dusk', weather: 'fog', subject: 'boat' });
		expect(calm.horizon).toBe(original.horizon);
		expect(calm.shapeSeed).toBe(original.shapeSeed);
	});

	it.each([
		['nothing but control characters', '\u0000\u0007\u001b'],
		['a lone surrogate', '\ud83d and \udc00'],
		['emoji and CJK', '🚀🌕 宇宙の猫 우주'],
		['32,000 characters', 'word '.repeat(6400)],
		['one word of 32,000 letters', 'a'.repeat(32_000)],
		['32,000 combining marks', 'a\u0301\u0323'.repeat(10_600)],
	])('takes %s', (_name, prompt) => {
		expect(plan(prompt).palette.sky).toHaveLength(4);
	});
});

describe('camera words', () => {
	it('reads moves, zooms and fades', () => {
		expect(cameraWords(wordsOf('Pan slowly to the left, fade in'))).toMatchObject({
			pan: -1,
			fadeIn: true,
			fadeOut: false,
		});
		expect(cameraWords(wordsOf('zoom out and tilt up'))).toMatchObject({ zoom: 'out', tilt: -1 });
		expect(cameraWords(wordsOf('a static shot'))).toMatchObject({ still: true });
		expect(cameraWords(wordsOf('he left the room')).pan).toBeUndefined();
	});

	it('steers the path over a picture; the seed decides the rest', () => {
		const path = (prompt: string, seed = 1) => planPath(cameraWords(wordsOf(prompt)), seed);
		expect(path('zoom in').to.zoom).toBeGreaterThan(path('zoom in').from.zoom);
		expect(path('zoom out').to.zoom).toBeLessThan(path('zoom out').from.zoom);
		expect(path('pan right').to.x).toBeGreaterThan(path('pan right').from.x);
		expect(path('pan left').to.x).toBeLessThan(path('pan left').from.x);
		expect(path('still').to).toEqual(path('still').from);
		expect(path('', 1)).toEqual(path('', 1));
		expect(path('', 1)).not.toEqual(path('', 2));
	});

	it('finds the words that a prompt puts in quotes', () => {
		expect(quotedPart('a card that says "Happy birthday" in red')).toBe('Happy birthday');
		expect(quotedPart('no quotes here')).toBeUndefined();
	});
});
