import { expect, test } from 'vitest';
import { nearest } from '../../src/contract/words.ts';

test('the nearest name has a small edit distance, regardless of case', () => {
	const names = ['PLINTH_DATA_DIR', 'PLINTH_API_KEYS', 'graceMs', 'id'];
	expect(nearest('PLINTH_DATADIR', names)).toBe('PLINTH_DATA_DIR');
	expect(nearest('PLINTH_API_KEY', names)).toBe('PLINTH_API_KEYS');
	expect(nearest('gracems', names)).toBe('graceMs');
	expect(nearest('PLINTH_QUITE_DIFFERENT', names)).toBeUndefined();
	expect(nearest('x', names)).toBeUndefined();
});

test('the nearest name is not one that shares nothing with the whole word', () => {
	expect(nearest('zzz', ['size', 'seed'])).toBeUndefined();
	expect(nearest('zise', ['size', 'seed'])).toBe('size');
});

test('the distance counts characters, also outside of the basic plane', () => {
	expect(nearest('😀😀ab', ['😀😀ac', '😀😀abcd'])).toBe('😀😀ac');
	expect(nearest('a😀', ['😀😀'])).toBe('😀😀');
	expect(nearest('ab', ['😀😀'])).toBeUndefined();
});
