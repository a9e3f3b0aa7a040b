import { describe, expect, it } from 'vitest';
import type { VideoInput } from '../src/record.ts';
import { seedOf } from '../src/seed.ts';

const input: VideoInput = {
	prompt: 'a cat',
	alias: null,
	seconds: 4,
	size: '720x1280',
	reference: null,
	remixOf: null,
};

describe('seedOf', () => {
	it('is an unsigned 32-bit number, equal for equal requests', () => {
		const seed = seedOf('m', input);
		expect(seed).toBe(seedOf('m', { ...input }));
		expect(seed).toBe(seed >>> 0);
	});

	it('changes with each input that affects the video', () => {
		const reference = { key: 'k', mediaType: 'image/png', size: 1, sha256: 'ab' };
		const seeds = new Set([
			seedOf('m', input),
			seedOf('n', input),
			seedOf('m', { ...input, prompt: 'a dog' }),
			seedOf('m', { ...input, seconds: 8 }),
			seedOf('m', { ...input, size: '640x480' }),
			seedOf('m', { ...input, reference }),
			seedOf('m', { ...input, reference: { ...reference, sha256: 'cd' } }),
		]);
		expect(seeds.size).toBe(7);
	});

	it('does not depend on where the picture is stored', () => {
		const reference = { key: 'k', mediaType: 'image/png', size: 1, sha256: 'ab' };
		const moved = { ...reference, key: 'elsewhere' };
		expect(seedOf('m', { ...input, reference })).toBe(seedOf('m', { ...input, reference: moved }));
	});
});
