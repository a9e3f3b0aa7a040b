import { describe, expect, it } from 'vitest';
import { copy } from '../../../src/image/edit/bitmap.ts';
import { tokenize } from '../../../src/image/edit/grammar/tokens.ts';
import { language, verbs } from '../../../src/image/edit/verbs/table.ts';
import { pixelEffects } from './effects.ts';
import { edit, scene } from './pictures.ts';
import { shapeEffects } from './shape-effects.ts';

const effects = { ...pixelEffects, ...shapeEffects };

describe('the table of operations', () => {
	it('has at least 35 rows, and a measured effect for each of them', () => {
		expect(verbs.length).toBeGreaterThanOrEqual(35);
		expect(verbs.map(({ name }) => name).sort()).toEqual(Object.keys(effects).sort());
	});

	it('names each row once', () => {
		expect(new Set(verbs.map(({ name }) => name)).size).toBe(verbs.length);
	});

	it.each(verbs.map((verb) => [verb.name, verb] as const))('knows every phrase of %s', (_, { phrases, name }) => {
		for (const phrase of phrases) {
			const found = language.find(tokenize(phrase.replaceAll('=', '')), 0);
			expect(found?.verbs.map((verb) => verb.name) ?? [], phrase).toContain(name);
		}
	});
});

describe('the effect on pixels', () => {
	it.each(Object.entries(effects))('of %s is what it says', async (name, effect) => {
		const before = effect.input?.() ?? scene();
		const { picture, plan, said } = await edit(effect.prompt, copy(before), effect.options?.());
		expect(said).toMatch(/^Applied: (?!nothing)[^.]/);
		expect(said).not.toContain('. Not ');
		expect(plan.steps.map(({ verb }) => verb)).toContain(name);
		effect.measure(picture, before);
	});
});
