import { expect, test } from 'vitest';
import { bulletsOf } from '../src/pdf/bullets.ts';
import { item } from './items.ts';

const disc = (x: number, y: number, size = 3) => ({ x, y, width: size, height: size });
const entries = [item('wool', 60, 100), item('yarn', 60, 114)];

test('small shapes before texts are marks of a list', () => {
	const found = bulletsOf([disc(50, 103.5), disc(50, 117.5)], entries);
	expect(found.map(({ text, x, y }) => [text, x, y])).toEqual([
		['•', 50, 100],
		['•', 50, 114],
	]);
});

test.each([
	['far from any text', disc(20, 103)],
	['after the text', disc(95, 103)],
	['inside the text', disc(66, 103)],
	['between lines', disc(50, 110)],
	['as tall as the text', disc(46, 100, 10)],
	['that are long', { ...disc(50, 103), width: 9 }],
])('shapes %s are none', (_, shape) => {
	expect(bulletsOf([shape], entries)).toEqual([]);
});

test('a plot of many dots has none', () => {
	const dots = Array.from({ length: 5_000 }, (_, at) => disc(50, 100 + at / 100));
	expect(bulletsOf(dots, entries)).toEqual([]);
});
