import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../support/client.ts';
import { readMp4 } from '../support/mp4.ts';
import { pngSize, solidPng } from '../support/png.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

/** One landscape and one portrait size, and two lengths. All combinations are tested in video-matrix.test.ts. */
const requests = [
	{ size: '1280x720', seconds: '2' },
	{ size: '480x640', seconds: '4' },
];

let served: Served;
let client: RawClient;

interface Rendered {
	readonly id: string;
	readonly bytes: Uint8Array;
}

const known = new Map<string, Promise<Rendered>>();

async function renderAgain(fields: Record<string, unknown>): Promise<Rendered> {
	const prompt = 'A boat on a lake at dawn';
	const { id } = await client.create({ model: 'builtin-video', prompt, ...fields });
	const video = await client.finished(id, 60_000);
	expect(video).toMatchObject({ status: 'completed', error: null });
	return { id, bytes: await client.bytes(`/v1/videos/${id}/content`) };
}

/** Renders each request once for all tests. */
function render(fields: Record<string, unknown> = {}): Promise<Rendered> {
	const whole = { size: '640x480', seconds: '2', ...fields };
	const key = JSON.stringify(whole);
	const found = known.get(key) ?? renderAgain(whole);
	known.set(key, found);
	return found;
}

beforeAll(async () => {
	served = await serveEmbedded();
	client = rawClient(served.url, keyA);
});

afterAll(() => served?.stop());

describe('the built-in video model', () => {
	test.each(requests)('renders $size exactly', async ({ size, seconds }) => {
		const mp4 = readMp4((await render({ size, seconds })).bytes);
		const [width, height] = size.split('x').map(Number);
		expect(mp4).toMatchObject({ codec: 'avc1', width, height, frames: Number(seconds) * 24 });
	});

	test.each(requests)('renders $seconds seconds exactly', async ({ size, seconds }) => {
		const mp4 = readMp4((await render({ size, seconds })).bytes);
		const length = Number(seconds);
		expect(mp4).toMatchObject({ frames: length * 24, seconds: length, frameSeconds: length });
	});

	test('puts the index before the frames, so that players can start at once', async () => {
		const { layout } = readMp4((await render()).bytes);
		expect(layout[0]).toBe('ftyp');
		expect(layout.indexOf('moov')).toBeLessThan(layout.indexOf('mdat'));
	});

	test('renders identical bytes for the same request', async () => {
		const [first, again] = [await render(), await renderAgain({})];
		expect(Buffer.compare(again.bytes, first.bytes)).toBe(0);
	});

	test('renders other bytes for another prompt', async () => {
		const [first, other] = [await render(), await render({ prompt: 'A tower in the desert' })];
		expect(Buffer.compare(first.bytes, other.bytes)).not.toBe(0);
	});

	test('starts from a reference picture', async () => {
		const png = Buffer.from(solidPng(320, 200, [180, 30, 60])).toString('base64');
		const input_reference = { image_url: `data:image/png;base64,${png}` };
		const { bytes } = await render({ input_reference });
		expect(readMp4(bytes)).toMatchObject({ width: 640, height: 480, frames: 48 });
	});

	test('makes a thumbnail in the size of the video', async () => {
		const { id } = await render();
		const poster = await client.bytes(`/v1/videos/${id}/content?variant=thumbnail`);
		expect(pictureSize(poster)).toEqual({ width: 640, height: 480 });
	});
});

/** Width and height of a PNG or a lossy WebP. */
function pictureSize(bytes: Uint8Array): { readonly width: number; readonly height: number } {
	const data = Buffer.from(bytes);
	if (data.toString('latin1', 0, 4) !== 'RIFF') return pngSize(bytes);
	const at = data.indexOf(Buffer.from([0x9d, 0x01, 0x2a]));
	return { width: data.readUInt16LE(at + 3) & 0x3fff, height: data.readUInt16LE(at + 5) & 0x3fff };
}
