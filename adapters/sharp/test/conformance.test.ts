import { createBackend, imageCodecSuite } from '@plinth/testing';
import type { ImageCodec } from '@plinth/toolkit';
import { test } from 'vitest';
import { sharpImages } from '../src/index.ts';

for (const { name, run } of imageCodecSuite({
	async create() {
		const { provided, stop } = await createBackend<ImageCodec>(sharpImages());
		return { codec: provided, close: stop };
	},
})) {
	test(name, run, 30_000);
}
