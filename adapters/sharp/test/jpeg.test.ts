import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasEndMarker } from '../src/jpeg.ts';

let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'sharp-test-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function both(bytes: Uint8Array): Promise<boolean> {
	const path = join(folder, 'picture');
	await writeFile(path, bytes);
	const answers = [await hasEndMarker(bytes), await hasEndMarker(path)];
	expect(answers[0]).toBe(answers[1]);
	return answers[0] as boolean;
}

const slice = 131_072;

it.each([0, 1, 2, slice - 2, slice - 1, slice, slice * 2 - 1, slice * 2])(
	'the end of a JPEG is found before %i more bytes',
	async (behind) => {
		const bytes = Buffer.alloc(slice * 2 + 10);
		bytes.set([0xff, 0xd9], bytes.length - 2 - behind);
		expect(await both(bytes)).toBe(true);
	},
);

it('a JPEG without an end marker is detected', async () => {
	for (const length of [0, 1, 2, slice, slice * 2 + 1]) {
		expect(await both(Buffer.alloc(length, 0xff))).toBe(false);
	}
});
