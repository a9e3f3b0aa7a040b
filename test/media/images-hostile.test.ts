import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createDeflate } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { animation, madePng } from '../../adapters/sharp/test/bombs.ts';
import { type Child, plinth } from '../support/cli.ts';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { percentile, probe } from '../support/latency.ts';
import { solidPng } from '../support/png.ts';
import { polyglots } from '../support/polyglots.ts';

let cwd: string;
let child: Child;
let client: RawClient;
let url: string;

beforeAll(async () => {
	cwd = await mkdtemp(join(tmpdir(), 'plinth-test-hostile-'));
	const env = { PORT: '0', PLINTH_API_KEYS: 'me:key-of-the-tests', PLINTH_LOG_LEVEL: 'warn' };
	child = plinth(['serve'], { cwd, env });
	[, url = ''] = await child.printed(/serving +(http:\S+)/);
	client = rawClient(url, 'key-of-the-tests');
	// The first image loads the lazy modules.
	expect((await edit(solidPng(64, 64, [1, 2, 3]))).status).toBe(200);
});

afterAll(async () => {
	await child?.kill();
	await rm(cwd, { recursive: true, force: true });
});

function edit(picture: Uint8Array, mask?: Uint8Array): Promise<Response> {
	const form = new FormData();
	form.set('model', 'builtin-image');
	form.set('prompt', 'grayscale');
	form.set('image', new Blob([Uint8Array.from(picture)], { type: 'image/png' }), 'picture.png');
	if (mask) form.set('mask', new Blob([Uint8Array.from(mask)]), 'mask.png');
	return client.send('/v1/images/edits', { method: 'POST', body: form });
}

/** The 99th percentile of the response times of `/healthz` while some work runs, in milliseconds. */
async function p99During(work: () => Promise<unknown>): Promise<number> {
	const health = probe(`${url}/healthz`);
	await work();
	return percentile(await health.stop(), 0.99);
}

/** Larger than any pixel limit, and a few hundred kilobytes as a file. The test generates its rows one by one. */
async function bomb(): Promise<Buffer> {
	const side = 16_384;
	const row = Buffer.alloc(side * 3 + 1);
	const rows = Readable.from(Array(side).fill(row)).pipe(createDeflate({ level: 1 }));
	return madePng(side, side, await buffer(rows));
}

async function truncatedJpeg(): Promise<Buffer> {
	const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
	const create = { width: 3_000, height: 2_000, channels: 3, background: '#000', noise } as const;
	const whole = await sharp({ create }).jpeg().toBuffer();
	return whole.subarray(0, whole.length * 0.6);
}

const hostile: readonly (readonly [string, () => Promise<Uint8Array> | Uint8Array, string])[] = [
	['a bomb of 268 megapixels', bomb, 'image_too_large'],
	['SVG that is labelled as PNG', () => polyglots.SVG as Buffer, 'invalid_image'],
	['HTML that is labelled as PNG', () => polyglots.HTML as Buffer, 'invalid_image'],
	['a WebP of 1,000 frames', () => animation(1_000), 'invalid_image'],
	['a JPEG that ends early', truncatedJpeg, 'invalid_image'],
];

describe('a hostile picture', () => {
	test.each(hostile)('is refused at once and delays no other request: %s', async (name, make, code) => {
		onTestFailed(() => console.error(child.stdout(), child.stderr()));
		const picture = await make();
		const baseline = await p99During(() => delay(500));
		let took = 0;
		const p99 = await p99During(async () => {
			const began = performance.now();
			const response = await edit(picture);
			took = performance.now() - began;
			const refusal = await failure(response);
			expect([response.status, refusal]).toMatchObject([400, { code, param: 'image' }]);
			// A percentile needs many samples, so the image is sent repeatedly for two seconds.
			while (performance.now() - began < 2_000) expect((await edit(picture)).status).toBe(400);
		});
		console.info(
			`${name}: refused in ${took.toFixed(0)} ms; /healthz p99 ${p99.toFixed(0)} ms, before ${baseline.toFixed(0)} ms.`,
		);
		expect(took).toBeLessThan(500);
		expect(p99).toBeLessThan(100);
	});

	test('is refused as a mask, too', async () => {
		for (const bytes of [polyglots.SVG as Buffer, await bomb()]) {
			const response = await edit(solidPng(64, 64, [1, 2, 3]), bytes);
			expect([response.status, (await failure(response)).param]).toEqual([400, 'mask']);
		}
	});
});
