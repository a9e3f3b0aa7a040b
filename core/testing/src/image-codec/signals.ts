import type { ImageCodec } from '@plinth/toolkit';
import { abortEveryOther, assertAborts } from '../aborts.ts';
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

/** Cases on aborts and concurrent calls. */
export function signalCases(it: CodecCase): ConformanceCase[] {
	return [
		...Object.entries(methods).map(([name, call]) =>
			it(`${name} rejects with the reason of an aborted signal`, async ({ codec }) => {
				await assertAborts((signal) => call(codec, signal));
				await call(codec, new AbortController().signal);
			}),
		),
		it('calls that are aborted reject with the reason, and the others continue', async ({ codec }) => {
			const pixels = noise(400, 400);
			const large = { width: 1_000, height: 1_000, mode: 'fill' } as const;
			await abortEveryOther(12, (_, signal) => codec.fit(pixels, large, signal));
		}),
		it('many calls at once all resolve', async ({ codec }) => {
			const fits = Array.from({ length: 60 }, (_, i) => codec.fit(image, { width: i + 1, height: 5, mode: 'fill' }));
			for (const [i, pixels] of (await Promise.all(fits)).entries()) assertSize(pixels, i + 1, 5);
		}),
	];
}
