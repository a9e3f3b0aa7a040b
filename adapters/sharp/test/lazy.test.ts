import type { ImageCodec } from '@plinth/toolkit';
import { expect, it } from 'vitest';
import { lazyCodec } from '../src/lazy.ts';

const info = { format: 'png', width: 1, height: 2, hasAlpha: false } as const;
const codec: Required<ImageCodec> = {
	probe: async () => info,
	transcode: () => Promise.reject(new Error('not asked')),
	composite: () => Promise.reject(new Error('not asked')),
	fit: async () => ({ width: 1, height: 1, data: Buffer.alloc(4) }),
	encode: async () => Buffer.from('encoded'),
};

it('the library is loaded once, with the first picture', async () => {
	let loads = 0;
	const lazy = lazyCodec(async () => {
		loads += 1;
		return codec;
	});
	expect(loads).toBe(0);
	const answers = [lazy.probe(Buffer.alloc(1)), lazy.probe({ path: 'a' })];
	expect(await Promise.all(answers)).toEqual([info, info]);
	expect(loads).toBe(1);
});

it('a call fails with the reason when the library cannot be loaded, and the next call tries again', async () => {
	let isInstalled = false;
	const lazy = lazyCodec(async () => {
		if (!isInstalled) throw new Error('libvips is not installed');
		return codec;
	});
	await expect(lazy.probe(Buffer.alloc(1))).rejects.toThrow('libvips is not installed');
	isInstalled = true;
	expect(await lazy.probe(Buffer.alloc(1))).toEqual(info);
});
