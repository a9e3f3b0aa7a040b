import assert from 'node:assert/strict';
import type { ImageCodec } from '@plinth/toolkit';
import type { ConformanceCase } from '../conformance.ts';
import { pngOf } from './files.ts';
import { assertSize, type CodecCase, noise, quarters } from './subject.ts';

const box = { width: 8, height: 8, mode: 'cover' } as const;
const image = pngOf(quarters());

const methods: Readonly<Record<string, (codec: ImageCodec, signal: AbortSignal) => Promise<unknown>>> = {
	probe: (codec, signal) => codec.probe(image, signal),
	fit: (codec, signal) => codec.fit(image, box, signal),
	'fit of pixels': (codec, signal) => codec.fit(quarters(), box, signal),
	encode: (codec, signal) => codec.encode(quarters(), { format: 'png' }, signal),
	transcode: (codec, signal) => codec.transcode(image, { format: 'png' }, signal),
	composite: (codec, signal) => codec.composite(quarters(), [], signal),
};

/** How calls are aborted, and many of them at once. */
export function signalCases(it: CodecCase): ConformanceCase[] {
	return [
		...Object.entries(methods).map(([name, call]) =>
			it(`${name} rejects with the reason of an aborted signal`, async ({ codec }) => {
				const reason = new Error('The client left.');
				const is = (error: unknown) => error === reason;
				await assert.rejects(call(codec, AbortSignal.abort(reason)), is);
				await call(codec, new AbortController().signal);
			}),
		),
		it('calls that are aborted reject with the reason, and the others go on', async ({ codec }) => {
			const pixels = noise(400, 400);
			const large = { width: 1_000, height: 1_000, mode: 'fill' } as const;
			const reason = new Error('The client left.');
			const leaving = new AbortController();
			const all = Array.from({ length: 12 }, (_, i) =>
				codec.fit(pixels, large, i % 2 === 0 ? leaving.signal : undefined),
			);
			const ends = Promise.allSettled(all);
			leaving.abort(reason);
			for (const [i, end] of (await ends).entries()) {
				if (i % 2 === 0) assert.equal(end.status === 'rejected' && end.reason, reason);
				else assert.equal(end.status, 'fulfilled');
			}
		}),
		it('many calls at once all answer', async ({ codec }) => {
			const fits = Array.from({ length: 60 }, (_, i) => codec.fit(image, { width: i + 1, height: 5, mode: 'fill' }));
			for (const [i, pixels] of (await Promise.all(fits)).entries()) assertSize(pixels, i + 1, 5);
		}),
	];
}
