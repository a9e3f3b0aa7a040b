import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../support/client.ts';
import { solidPng } from '../support/png.ts';
import { colourFrame, difference, ffprobe, textInFrame } from '../support/programs.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

const prompts = [
	'A lighthouse above the sea at sunset',
	'A forest in the rain',
	'A city skyline at night',
	'A desert with dunes at noon',
	'Snowy mountains under the stars',
	'A coral reef with fish',
	'A red balloon over green fields',
	'A spaceship among planets',
	'A quiet village street in autumn',
	'A volcano at dawn',
	'Abstract shapes in violet and gold',
	'A train crossing a bridge in the fog',
];

const small = { width: 64, height: 48 };
/** Of 255. Two frames of the same drifting scene differ by less. */
const clearly = 12;

let served: Served;
let client: RawClient;

beforeAll(async () => {
	served = await serveEmbedded();
	client = rawClient(served.url, keyA);
});

afterAll(() => served?.stop());

/** Renders 2 seconds and returns the file and the id of the job. */
async function render(name: string, fields: Record<string, unknown>) {
	const { id } = await client.create({ model: 'builtin-video', size: '1280x720', ...fields });
	await client.finished(id, 60_000);
	const file = join(served.dataDir, `${name}.mp4`);
	await writeFile(file, await client.bytes(`/v1/videos/${id}/content`));
	return { id, file };
}

describe('twelve prompts', () => {
	const frames: Buffer[] = [];

	beforeAll(async () => {
		for (const [index, prompt] of prompts.entries()) {
			const { file } = await render(`prompt-${index}`, { prompt, size: '640x480' });
			frames.push(await colourFrame(file, { at: 1, ...small }));
		}
	}, 180_000);

	test('give twelve clearly different pictures', () => {
		const alike = prompts.flatMap((prompt, i) =>
			prompts.slice(i + 1).flatMap((other, j) => {
				const distance = difference(frames[i] ?? small0, frames[i + 1 + j] ?? small0);
				return distance < clearly ? [`${prompt} / ${other}: ${distance.toFixed(1)}`] : [];
			}),
		);
		expect(alike).toEqual([]);
	});

	test('give pictures with contrast', () => {
		const flat = frames.map((frame) => Math.max(...frame) - Math.min(...frame));
		expect(flat.filter((contrast) => contrast < 60)).toEqual([]);
	});
});

const small0 = Buffer.alloc(small.width * small.height * 3);

describe('the title', () => {
	test.each([
		['1280x720', 'A lighthouse above the sea', ['lighthouse', 'above', 'sea']],
		['720x1280', 'Morning train in the mountains', ['morning', 'train', 'mountains']],
		['640x480', 'Silver harbour', ['silver', 'harbour']],
	])('can be read back from a frame of %s', async (size, prompt, words) => {
		const { file } = await render(`title-${size}`, { size, prompt });
		const text = (await textInFrame(file, 1)).toLowerCase();
		expect(words.filter((word) => !text.includes(word))).toEqual([]);
	});
});

describe('the picture', () => {
	test('moves', async () => {
		const { file } = await render('motion', { prompt: 'Clouds over a lake', seconds: '4' });
		const [early, late] = [
			await colourFrame(file, { at: 0, width: 320, height: 180 }),
			await colourFrame(file, { at: 3.8, width: 320, height: 180 }),
		];
		expect(difference(early, late)).toBeGreaterThan(1);
	});

	test('is continuous where two groups of frames meet', async () => {
		const { file } = await render('seam', { prompt: 'Clouds over a lake', seconds: '4' });
		const frame = (index: number) => colourFrame(file, { at: index / 24, width: 320, height: 180 });
		const [a, b, c] = [await frame(46), await frame(47), await frame(48)];
		expect(difference(b, c)).toBeLessThan(difference(a, b) + 2);
	});

	test('keeps the colour of a reference picture', async () => {
		const png = Buffer.from(solidPng(640, 360, [30, 90, 200])).toString('base64');
		const input_reference = { image_url: `data:image/png;base64,${png}` };
		const { file } = await render('reference', { prompt: 'Zoom in slowly', input_reference });
		const frame = await colourFrame(file, { at: 1, ...small });
		const middle = 3 * (small.width * (small.height / 2) + small.width / 2);
		const [red = 0, green = 0, blue = 0] = frame.subarray(middle, middle + 3);
		expect([Math.abs(red - 30), Math.abs(green - 90), Math.abs(blue - 200)].filter((off) => off > 20)).toEqual([]);
	});
});

describe('the thumbnail', () => {
	test('is a frame of the video', async () => {
		const { id, file } = await render('poster', { prompt: 'A castle on a hill' });
		const response = await client.send(`/v1/videos/${id}/content?variant=thumbnail`);
		const type = response.headers.get('content-type') ?? '';
		const poster = join(served.dataDir, `poster.${type.split('/')[1]}`);
		await writeFile(poster, new Uint8Array(await response.arrayBuffer()));
		expect(type).toMatch(/^image\/(png|webp)$/);
		expect(await ffprobe(poster)).toMatchObject({ width: 1280, height: 720 });
		const still = await colourFrame(poster, { at: 0, ...small });
		const distances = [];
		for (const at of [0, 0.5, 1, 1.5]) {
			distances.push(difference(still, await colourFrame(file, { at, ...small })));
		}
		expect(Math.min(...distances)).toBeLessThan(6);
	});
});
