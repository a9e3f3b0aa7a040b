import { describe, expect, it } from 'vitest';
import { deliveryOf } from '../../src/speech/voices.ts';

const neutral = { tempo: 1, pitch: 1, tract: 1 };

describe('deliveryOf', () => {
	it('changes nothing and gives no warnings without instructions', () => {
		expect(deliveryOf('', 1.5)).toEqual({ delivery: { ...neutral, tempo: 1.5 }, warnings: [] });
	});

	it.each([
		['Speak slowly, please.', { tempo: 0.8 }],
		['very fast', { tempo: 1.25 }],
		['Speak in a deep voice', { pitch: 0.84, tract: 0.93 }],
		['high-pitched', { pitch: 1.2, tract: 1.05 }],
		['slow and low', { tempo: 0.8, pitch: 0.84, tract: 0.93 }],
	])('understands "%s"', (instructions, wish) => {
		expect(deliveryOf(instructions, 1)).toEqual({ delivery: { ...neutral, ...wish }, warnings: [] });
	});

	it('multiplies the speed of the request with that of the instructions', () => {
		expect(deliveryOf('slow', 2).delivery.tempo).toBeCloseTo(1.6);
	});

	it.each(['whisper', 'like a pirate', 'high energy', 'low volume', "don't speak fast", 'not too slow'])(
		'changes nothing and gives a warning for "%s"',
		(instructions) => {
			expect(deliveryOf(instructions, 1)).toEqual({ delivery: neutral, warnings: [expect.any(String)] });
		},
	);

	it('applies what it understands and warns about the rest', () => {
		const { delivery, warnings } = deliveryOf('Speak slowly like a pirate', 1);
		expect(delivery.tempo).toBe(0.8);
		expect(warnings).toEqual([expect.stringMatching(/supports slow, fast, deep and high/)]);
	});
});
