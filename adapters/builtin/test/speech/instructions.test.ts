import { describe, expect, it } from 'vitest';
import { understand } from '../../src/speech/instructions.ts';

describe('understand', () => {
	it('changes nothing and says nothing without instructions', () => {
		expect(understand('', 1.5)).toEqual({
			delivery: { tempo: 1.5, pitch: 1, range: 1, tract: 1 },
			warnings: [],
		});
	});

	it.each([
		['Speak slowly, please.', { tempo: 0.8 }],
		['very fast', { tempo: 1.25 }],
		['Speak in a deep voice', { pitch: 0.84, tract: 0.93 }],
		['high-pitched', { pitch: 1.2, tract: 1.05 }],
		['slow and low', { tempo: 0.8, pitch: 0.84 }],
		['Monotone.', { range: 0.3 }],
	])('understands "%s"', (instructions, wish) => {
		const { delivery, warnings } = understand(instructions, 1);
		expect(delivery).toMatchObject(wish);
		expect(warnings).toEqual([]);
	});

	it('multiplies the tempo with the speed', () => {
		expect(understand('slow', 2).delivery.tempo).toBeCloseTo(1.6);
	});

	it.each(['whisper', 'like a pirate', 'high energy', "don't speak fast", 'not too slow'])(
		'says that it did not understand "%s"',
		(instructions) => {
			const { delivery, warnings } = understand(instructions, 1);
			expect(delivery).toEqual({ tempo: 1, pitch: 1, range: 1, tract: 1 });
			expect(warnings).toHaveLength(1);
			expect(warnings[0]).toContain('not understood');
		},
	);

	it('does what it can and names the rest', () => {
		const { delivery, warnings } = understand('Speak slowly like a pirate', 1);
		expect(delivery.tempo).toBe(0.8);
		expect(warnings[0]).toMatch(/^The instructions "like", "pirate" were not understood/);
	});

	it('keeps its warning short', () => {
		const many = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');
		expect(understand(many, 1).warnings[0]?.length).toBeLessThan(300);
	});
});
