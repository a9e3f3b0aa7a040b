import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../support/client.ts';
import { readMp4 } from '../support/mp4.ts';
import { decodeErrors, ffprobe } from '../support/programs.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

const sizes = ['720x1280', '1280x720', '1024x1792', '1792x1024', '640x480', '480x640'];
/** Each size once, and each additional length at one size. Size and length are independent. */
const matrix = [
	...sizes.map((size) => ({ size, seconds: 2 })),
	{ size: '640x480', seconds: 4 },
	{ size: '720x1280', seconds: 8 },
	{ size: '1280x720', seconds: 12 },
];

let served: Served;
let client: RawClient;

beforeAll(async () => {
	served = await serveEmbedded();
	client = rawClient(served.url, keyA);
});

afterAll(() => served?.stop());

describe.each(matrix)('$size, $seconds seconds', ({ size, seconds }) => {
	const [width, height] = size.split('x').map(Number);
	let file: string;
	let bytes: Uint8Array;

	beforeAll(async () => {
		const prompt = 'A lighthouse above the sea at sunset';
		const fields = { model: 'builtin-video', prompt, size, seconds: String(seconds) };
		bytes = await client.render(fields, 120_000);
		file = join(served.dataDir, `${size}-${seconds}.mp4`);
		await writeFile(file, bytes);
	}, 120_000);

	test('is H.264 of exactly this size and length, by an independent decoder', async () => {
		const probe = await ffprobe(file);
		expect(probe).toMatchObject({
			codec_name: 'h264',
			pix_fmt: 'yuv420p',
			width,
			height,
			r_frame_rate: '24/1',
			nb_read_frames: String(seconds * 24),
			duration: `${seconds}.000000`,
		});
	});

	test('decodes without a warning', async () => {
		expect(await decodeErrors(file)).toBe('');
	});

	test('starts with its index', () => {
		const { layout, seconds: length } = readMp4(bytes);
		expect(layout.indexOf('moov')).toBeLessThan(layout.indexOf('mdat'));
		expect(length).toBe(seconds);
	});
});
