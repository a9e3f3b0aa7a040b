import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth } from '../support/cli.ts';
import { type RawClient, rawClient } from '../support/client.ts';
import { pngSize, solidPng } from '../support/png.ts';
import { inMegabytes, memoryGrowthDuring } from '../support/process-tree.ts';

const megabyte = 1_048_576;
const boundary = 'plinth-test-boundary';

let cwd: string;
let temp: string;
let child: Child;
let client: RawClient;

beforeAll(async () => {
	cwd = await mkdtemp(join(tmpdir(), 'plinth-test-large-'));
	temp = join(cwd, 'tmp');
	await mkdir(temp);
	const env = { PORT: '0', PLINTH_API_KEYS: 'me:key-of-the-tests', PLINTH_LOG_LEVEL: 'warn', TMPDIR: temp };
	child = plinth(['serve'], { cwd, env });
	const [, url = ''] = await child.printed(/serving +(http:\S+)/);
	client = rawClient(url, 'key-of-the-tests');
	const small = solidPng(64, 64, [1, 2, 3]);
	expect((await multipart([small, small], 'collage')).status).toBe(200);
});

afterAll(async () => {
	await child?.kill();
	await rm(cwd, { recursive: true, force: true });
});

/** Sends an edit without copying its images. */
function multipart(pictures: readonly Uint8Array<ArrayBuffer>[], prompt: string) {
	const field = (name: string, value: string) =>
		`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
	const head = (index: number) =>
		`--${boundary}\r\ncontent-disposition: form-data; name="image[]"; filename="${index}.png"\r\n\r\n`;
	const files = pictures.flatMap((picture, index) => [head(index), picture, '\r\n']);
	return client.send('/v1/images/edits', {
		method: 'POST',
		headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
		body: new Blob([...files, field('model', 'builtin-image'), field('prompt', prompt), `--${boundary}--\r\n`]),
	});
}

/** Sends the same edit as JSON with data URLs. */
function json(pictures: readonly Uint8Array[], prompt: string) {
	const [head = '', tail = ''] = JSON.stringify({
		model: 'builtin-image',
		prompt,
		images: [0],
	}).split('0');
	const parts = pictures.flatMap((picture, index) => [
		`${index === 0 ? '' : ','}{"image_url":"data:image/png;base64,`,
		Buffer.from(picture).toString('base64'),
		'"}',
	]);
	return client.send('/v1/images/edits', {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: new Blob([head, ...parts, tail]),
	});
}

/** A PNG of noise with about this many bytes. Noise cannot be compressed. */
async function noisePng(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
	const side = Math.floor(Math.sqrt(bytes / 3));
	const raw = { width: side, height: side, channels: 3 } as const;
	const png = await sharp(randomBytes(side * side * 3), { raw })
		.png({ compressionLevel: 0 })
		.toBuffer();
	return Uint8Array.from(png);
}

async function expectCollage(response: Response): Promise<void> {
	expect(response.status).toBe(200);
	const { data } = (await response.json()) as { data: readonly { readonly b64_json: string }[] };
	expect(pngSize(Buffer.from(data[0]?.b64_json ?? '', 'base64')).width).toBeGreaterThan(100);
}

async function leftBehind(): Promise<readonly string[]> {
	return (await readdir(temp)).filter((name) => name.startsWith('plinth-'));
}

describe('large pictures', () => {
	test('are accepted sixteen at a time, 50 MB each, with little memory', async () => {
		onTestFailed(() => console.error(child.stdout(), child.stderr()));
		const picture = await noisePng(49.9 * megabyte);
		expect(picture.length).toBeGreaterThan(49 * megabyte);
		const held = await memoryGrowthDuring(child.pid, async () => {
			await expectCollage(await multipart(Array(16).fill(picture), 'collage'));
		});
		console.info(
			`Sixteen pictures of ${inMegabytes(picture.length)}: ` +
				`server +${inMegabytes(held.server)}, worker ${inMegabytes(held.child)}.`,
		);
		expect(held.server).toBeLessThan(150 * megabyte);
		expect(held.child).toBeGreaterThan(0);
		expect(held.child).toBeLessThan(600 * megabyte);
		expect(await leftBehind()).toEqual([]);
	});

	test('are accepted as data URLs in 190 MB of JSON, with little memory', async () => {
		onTestFailed(() => console.error(child.stdout(), child.stderr()));
		const picture = await noisePng(35 * megabyte);
		const held = await memoryGrowthDuring(child.pid, async () => {
			await expectCollage(await json(Array(4).fill(picture), 'collage'));
		});
		console.info(
			`Four pictures of 35 MB in JSON: server +${inMegabytes(held.server)}, worker ${inMegabytes(held.child)}.`,
		);
		expect(held.server).toBeLessThan(150 * megabyte);
		expect(await leftBehind()).toEqual([]);
	});
});
