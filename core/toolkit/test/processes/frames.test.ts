import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Frame, readFrames, writeFrame } from '../../src/processes/frames.ts';

async function all(from: AsyncIterable<Uint8Array>): Promise<Frame[]> {
	const frames: Frame[] = [];
	for await (const frame of readFrames(from)) frames.push(frame);
	return frames;
}

function written(frames: readonly { header: unknown; body: Uint8Array }[]): Buffer {
	const stream = new PassThrough({ highWaterMark: 1e9 });
	for (const { header, body } of frames) writeFrame(stream, header, body);
	return stream.read() ?? Buffer.alloc(0);
}

async function* cutUp(bytes: Uint8Array, sizes: readonly number[]) {
	for (let at = 0, i = 0; at < bytes.length; i++) {
		const size = sizes[i % sizes.length] ?? 1;
		yield bytes.subarray(at, at + size);
		at += size;
	}
}

const frame = fc.record({ header: fc.jsonValue(), body: fc.uint8Array() });
const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 });

it('frames are read as they were written, for any split of the bytes', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(frame), sizes, async (frames, pieces) => {
			const read = await all(cutUp(written(frames), pieces));
			expect(read.map(({ body }) => [...body])).toEqual(frames.map(({ body }) => [...body]));
			expect(read.map(({ header }) => header)).toEqual(frames.map(({ header }) => JSON.parse(JSON.stringify(header))));
		}),
	);
});

it('an incomplete frame is not read', async () => {
	const bytes = written([{ header: { n: 1 }, body: Buffer.from('pixels') }]);
	for (let end = 0; end < bytes.length; end++) {
		expect(await all(cutUp(bytes.subarray(0, end), [7]))).toEqual([]);
	}
});

it('invalid lengths are refused before memory is allocated', async () => {
	const endless = Buffer.alloc(100, 0xff);
	await expect(all(cutUp(endless, [100]))).rejects.toThrow(RangeError);
});
