import { describe, expect, it } from 'vitest';
import { closestSize, sizeError } from '../src/request/sizes.ts';

describe('a size in a request', () => {
	it.each(['auto', '64x64', '1024x1024', '1792x1024', '3840x2160', '2160x3840', '3840x1280', '2880x2880', '192x64'])(
		'may be %s',
		(size) => {
			expect(sizeError(size)).toBeUndefined();
		},
	);

	it.each([
		['1024', 'WIDTHxHEIGHT'],
		['1024 x 1024', 'WIDTHxHEIGHT'],
		['1024X1024', 'WIDTHxHEIGHT'],
		['-64x64', 'WIDTHxHEIGHT'],
		['1e3x1e3', 'WIDTHxHEIGHT'],
		['', 'WIDTHxHEIGHT'],
		['AUTO', 'WIDTHxHEIGHT'],
		['48x64', '64 to 3840'],
		['0x64', 'WIDTHxHEIGHT'],
		['01024x1024', 'WIDTHxHEIGHT'],
		['3856x2160', '64 to 3840'],
		['1000x1024', 'multiples of 16'],
		['1024x1023', 'multiples of 16'],
		['256x64', '1:3'],
		['1024x3088', '1:3'],
		['3840x2176', '8294400 pixels'],
	])('is rejected for %j, which breaks the rule of %s', (size, rule) => {
		expect(sizeError(size)).toContain(rule);
	});
});

describe('the size that is requested from a model', () => {
	const size = (width: number, height: number) => ({ width, height });
	const sizes = [size(512, 512), size(1024, 1024), size(1536, 1024), size(1024, 1536)];

	it.each([
		[size(1024, 1536), size(1024, 1536)],
		[size(1000, 1000), size(1024, 1024)],
		[size(600, 600), size(512, 512)],
		[size(1792, 1024), size(1536, 1024)],
		[size(640, 1920), size(1024, 1536)],
	])('has the closest shape, then the closest area: %j', (wanted, asked) => {
		expect(closestSize({ sizes }, wanted)).toEqual(asked);
	});

	it('is the size in the request when the model lists none', () => {
		expect(closestSize({}, size(640, 1920))).toEqual(size(640, 1920));
	});
});
