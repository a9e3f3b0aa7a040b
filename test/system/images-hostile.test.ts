import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { animation, blackRows, madePng } from '../../adapters/sharp/test/bombs.ts';
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
	const env = { PORT: '0', PLINTH_API_KEYS: 'me:key', PLINTH_LOG_LEVEL: 'warn' };
	child = plinth(['serve'], { cwd, env });
	[, url = ''] = await child.printed(/serving +(http:\S+)/);
	client = rawClient(url, 'key');
	// What is loaded late is loaded by the first picture.
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

/** Larger than any limit of pixels, and a few hundred kilobytes as a file. */
const bomb = () => madePng(16_384, 16_384, blackRows(16_384, 16_384));

async function truncatedJpeg(): Promise<Buffer> {
	const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
	const create = { width: 3_000, height: 2_000, channels: 3, background: '#000', noise } as const;
	const whole = await sharp({ create }).jpeg().toBuffer();
	return whole.subarray(0, whole.length * 0.6);
}

const hostile: readonly (readonly [string, () => Promise<Uint8Array> | Uint8Array, string])[] = [
	['a bomb of 268 megapixels', bomb, 'image_too_large'],
	['SVG that says it is a PNG', () => polyglots.SVG as Buffer, 'invalid_image'],
	['HTML that says it is a PNG', () => polyglots.HTML as Buffer, 'invalid_image'],
	['a WebP of 1,000 frames', () => animation(1_000), 'invalid_image'],
	['a JPEG that ends early', truncatedJpeg, 'invalid_image'],
];

describe('a hostile picture', () => {
	test.each(hostile)(
		'is refused at once, and keeps nobody waiting: %s',
		async (name, make, code) => {
			onTestFailed(() => console.error(child.stdout(), child.stderr()));
			const picture = await make();
			const health = probe(`${url}/healthz`);
			const began = performance.now();
			const answer = await edit(picture);
			const took = performance.now() - began;
			expect([answer.status, await failure(answer)]).toMatchObject([400, { code, param: 'image' }]);
			// The probe needs some answers for a percentile, and the others may still be paying for the first one.
			for (let index = 0; index < 9; index++) expect((await edit(picture)).status).toBe(400);
			const waits = await health.stop();
			const p99 = percentile(waits, 0.99);
			console.info(
				`${name}: refused in ${took.toFixed(0)} ms; /healthz p99 ${p99.toFixed(0)} ms of ${waits.length}.`,
			);
			expect(took).toBeLessThan(500);
			expect(p99).toBeLessThan(100);
		},
	);

	test('is refused as a mask too', async () => {
		for (const bytes of [polyglots.SVG as Buffer, bomb()]) {
			const answer = await edit(solidPng(64, 64, [1, 2, 3]), bytes);
			expect([answer.status, (await failure(answer)).param]).toEqual([400, 'mask']);
		}
	});
});
