import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth, root } from '../support/cli.ts';
import { type RawClient, rawClient } from '../support/client.ts';
import { rawPng } from '../support/png.ts';
import { inMegabytes, memoryGrowthDuring } from '../support/process-tree.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const megabyte = 1_048_576;
const boundary = 'plinth-test-boundary';
const small = rawPng(1_320, 1_320);
/**
 * The same image with a long tail, so that pixels do not matter. Images of 8 MB or more are decoded in another process.
 */
const [medium, large] = [10, 49.9].map((size) =>
	Uint8Array.from(Buffer.concat([small, Buffer.alloc(size * megabyte - small.length)])),
) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];

let cwd: string;
let temp: string;
let child: Child;
let client: RawClient;

beforeEach(start);
afterEach(end);

/** A server that has loaded its lazy modules. */
async function start(): Promise<void> {
	cwd = await temporaryDir('uploads');
	temp = join(cwd, 'tmp');
	await mkdir(temp);
	const config = join(root, 'test/support/endless-video.config.ts');
	const env = {
		PORT: '0',
		PLINTH_API_KEYS: 'me:key-of-the-tests',
		PLINTH_LOG_LEVEL: 'warn',
		TMPDIR: temp,
	};
	child = plinth(['serve', '--config', config], { cwd, env });
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const [, url = ''] = await child.printed(/serving +(http:\S+)/);
	client = rawClient(url, 'key-of-the-tests');
	expect(await create(small)).toBe(201);
	// The decoding process would otherwise start during the measurement.
	await client.post('/api/attachments/parse', { files: [{ url: 'data:,warm' }] });
}

async function end(): Promise<void> {
	await child.kill();
	await removeDir(cwd);
}

/** Creates a video from an image without copying its bytes. */
async function create(picture: Uint8Array<ArrayBuffer>, fields = {}): Promise<number> {
	const text = Object.entries({ model: 'held-1', prompt: 'x', ...fields })
		.map(([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
		.join('');
	const head = `${text}--${boundary}\r\ncontent-disposition: form-data; name="input_reference"; filename="a.png"\r\n\r\n`;
	const response = await client.send('/v1/videos', {
		method: 'POST',
		headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
		body: new Blob([head, picture, `\r\n--${boundary}--\r\n`]),
	});
	await response.arrayBuffer();
	return response.status;
}

/** The server caches compiled code in the same folder. */
async function uploadsLeft(): Promise<readonly string[]> {
	return (await readdir(temp)).filter((name) => name.startsWith('plinth-'));
}

const ten = <T>(task: () => Promise<T>) => Promise.all(Array.from({ length: 10 }, task));

describe('eight pictures of 50 megapixels at once', () => {
	const picture = () => sharp({ create: { width: 10_000, height: 5_000, channels: 3, background: '#345' } });

	test.each([
		['PNG', () => picture().png({ compressionLevel: 1 })],
		['PNG of 16 bits', () => picture().toColourspace('rgb16').png({ compressionLevel: 1 })],
		['interlaced PNG', () => picture().png({ compressionLevel: 1, progressive: true })],
		['JPEG', () => picture().jpeg()],
		['progressive JPEG', () => picture().jpeg({ progressive: true })],
		['WebP', () => picture().webp({ effort: 0 })],
		['lossless WebP', () => picture().webp({ lossless: true, effort: 0 })],
	] as const)('are checked with little memory and delay no other request: %s', async (name, make) => {
		const bytes = Uint8Array.from(await make().toBuffer());
		const waits: number[] = [];
		let isOver = false;
		const ask = async () => {
			while (!isOver) {
				const start = performance.now();
				await (await client.send('/healthz')).arrayBuffer();
				waits.push(performance.now() - start);
			}
		};
		const held = await memoryGrowthDuring(child.pid, async () => {
			const asking = ask();
			const responses = await Promise.all(Array.from({ length: 8 }, () => create(bytes)));
			isOver = true;
			await asking;
			expect(responses).toEqual(Array(8).fill(201));
		});
		const [slowest = 0] = waits.toSorted((a, b) => b - a);
		console.info(
			`Eight of ${name}: +${inMegabytes(held.server)}, decoding process ${inMegabytes(held.child)}, ` +
				`/healthz within ${slowest.toFixed(0)} ms.`,
		);
		expect(held.server).toBeLessThan(150 * megabyte);
		expect(held.child).toBeLessThan(600 * megabyte);
		expect(slowest).toBeLessThan(1_000);
	});
});

describe('ten uploads at once', () => {
	test('take little memory at any size and leave no file', async () => {
		// The median of several fresh processes, because the time of a garbage collection is random.
		const growths = async (bytes: Uint8Array<ArrayBuffer>, rounds: number) => {
			const found: number[] = [];
			for (let round = 0; round < rounds; round++) {
				await end();
				await start();
				const held = await memoryGrowthDuring(child.pid, async () => {
					expect(await ten(() => create(bytes))).toEqual(Array(10).fill(201));
				});
				found.push(held.server);
			}
			return found.toSorted((one, other) => one - other)[(rounds - 1) / 2] ?? Number.NaN;
		};
		const bySize = { small: await growths(medium, 5), large: await growths(large, 3) };
		console.info(
			`Ten uploads of ${inMegabytes(medium.length)}: +${inMegabytes(bySize.small)}; ` +
				`of ${inMegabytes(large.length)}: +${inMegabytes(bySize.large)}.`,
		);
		expect(bySize.large).toBeLessThan(96 * megabyte);
		expect(bySize.large - bySize.small).toBeLessThan(48 * megabyte);
		expect(await uploadsLeft()).toEqual([]);
	});

	test('that are refused after their last byte leave no file', async () => {
		const noPicture = new Uint8Array(50 * megabyte);
		const { server: growth } = await memoryGrowthDuring(child.pid, async () => {
			expect(await ten(() => create(noPicture))).toEqual(Array(10).fill(400));
		});
		expect(growth).toBeLessThan(128 * megabyte);
		expect(await uploadsLeft()).toEqual([]);
	});
});
