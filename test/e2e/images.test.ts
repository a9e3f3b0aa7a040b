import { createHash } from 'node:crypto';
import { eventually } from '@plinth/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { fakeImage, gate, heldImage, type RecordedImage } from '../support/fake-models.ts';
import { rawPng, solidPng } from '../support/png.ts';
import { keyA, type Served, type ServeOptions, serveEmbedded } from '../support/serve.ts';

interface WireImages {
	readonly data: readonly unknown[];
}

const requests: RecordedImage[] = [];
const running: Served[] = [];
let client: RawClient;

/** Two images that are spooled as files, even in JSON bodies, and a small one. */
const [large, larger, small] = [rawPng(160, 120), rawPng(200, 150), solidPng(16, 12, [1, 2, 3])];

beforeAll(async () => {
	client = rawClient((await start({ 'paint-1': fakeImage(requests) })).url, keyA);
});

beforeEach(() => {
	requests.length = 0;
});

afterAll(async () => {
	for (const { stop } of running) await stop();
});

async function start(models: ServeOptions['models'] & object): Promise<Served> {
	const served = await serveEmbedded({ models });
	running.push(served);
	return served;
}

const hashes = (pictures: readonly Uint8Array[] = []) =>
	pictures.map((bytes) => createHash('sha256').update(bytes).digest('hex'));

/** Checks that the last request reached the model with these images, in this order. */
function expectSent(...pictures: readonly Uint8Array[]): void {
	expect(hashes(requests.at(-1)?.sent)).toEqual(hashes(pictures));
}

const dataUrl = (bytes: Uint8Array) => ({
	image_url: `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`,
});

describe('the pictures of an edit', () => {
	type Part = readonly [name: string, value: string | Uint8Array<ArrayBuffer>];
	const fields: readonly Part[] = [
		['model', 'paint-1'],
		['prompt', 'a change'],
	];

	function formOf(parts: readonly Part[], type = 'image/png'): FormData {
		const form = new FormData();
		for (const [name, value] of parts) {
			if (typeof value === 'string') form.append(name, value);
			else form.append(name, new File([value], 'a.png', { type }));
		}
		return form;
	}

	test.each<readonly [string, readonly Part[], readonly Uint8Array[]]>([
		['image', [['image', small]], [small]],
		[
			'image, repeated',
			['image', 'image', 'image'].map((name, at) => [name, at === 1 ? large : small]),
			[small, large, small],
		],
		[
			'image[]',
			[
				['image[]', large],
				['image[]', small],
			],
			[large, small],
		],
		[
			'image[0] and image[1]',
			[
				['image[0]', large],
				['image[1]', small],
			],
			[large, small],
		],
		['images', [['images', small]], [small]],
		['image[image_url]', [['image[image_url]', dataUrl(small).image_url]], [small]],
	])('may be called %s in a form', async (_, parts, sent) => {
		const body = formOf([...fields, ...parts]);
		expect((await client.send('/v1/images/edits', { method: 'POST', body })).status).toBe(200);
		expectSent(...sent);
	});

	test.each([
		['come before the other fields', formOf([['image', larger], ...fields])],
		['have a wrong content type', formOf([...fields, ['image', larger]], 'text/html')],
		['have no content type', formOf([...fields, ['image', larger]], '')],
	])('may %s', async (_, body) => {
		expect((await client.send('/v1/images/edits', { method: 'POST', body })).status).toBe(200);
		expectSent(larger);
	});

	test('may have no content length', async () => {
		const { body, headers } = new Response(formOf([['image', larger], ...fields]));
		const init = { method: 'POST', body, headers, duplex: 'half' } as const;
		expect((await client.send('/v1/images/edits', init)).status).toBe(200);
		expectSent(larger);
	});

	test.each([
		['image', { image: dataUrl(large) }, [large]],
		['image as a list', { image: [dataUrl(small), dataUrl(larger)] }, [small, larger]],
		['images', { images: [dataUrl(larger), dataUrl(small), dataUrl(large)] }, [larger, small, large]],
	])('may be data URLs of any length in JSON, in %s', async (_, pictures, sent) => {
		const body = { model: 'paint-1', prompt: 'a change', ...pictures };
		expect((await client.post('/v1/images/edits', body)).status).toBe(200);
		expectSent(...sent);
	});

	test('may have a mask, in either encoding', async () => {
		const clear = { width: 160, height: 120, channels: 4, background: '#0000' } as const;
		const mask = Uint8Array.from(await sharp({ create: clear }).png({ compressionLevel: 0 }).toBuffer());
		const body = formOf([...fields, ['mask', mask], ['image', large]]);
		const responses = [
			await client.send('/v1/images/edits', { method: 'POST', body }),
			await client.post('/v1/images/edits', {
				model: 'paint-1',
				prompt: 'a change',
				mask: dataUrl(mask),
				images: [dataUrl(large)],
			}),
		];
		expect(responses.map(({ status }) => status)).toEqual([200, 200]);
		expect(requests.map(({ maskBytes }) => hashes([maskBytes ?? small]))).toEqual(Array(2).fill(hashes([mask])));
	});

	test('may exceed the size limit of the output format, and the error names the format', async () => {
		const body = formOf([
			['model', 'builtin-image'],
			['prompt', 'grayscale'],
			['output_format', 'webp'],
			['image', solidPng(1, 20_000, [9, 9, 9])],
		]);
		const response = await client.send('/v1/images/edits', { method: 'POST', body });
		expect([response.status, await failure(response)]).toMatchObject([
			400,
			{ code: 'unsupported_value', param: 'output_format' },
		]);
	});

	test('are at most 16', async () => {
		const many = Array.from({ length: 17 }, () => ['image[]', small] as const);
		const response = await client.send('/v1/images/edits', {
			method: 'POST',
			body: formOf([...fields, ...many]),
		});
		expect([response.status, await failure(response)]).toMatchObject([400, { code: 'invalid_value', param: 'image' }]);
	});
});

describe('an image that takes long', () => {
	const fields = { model: 'held-1', prompt: 'wait', partial_images: 1 };

	async function begin() {
		const held = gate();
		const signals: AbortSignal[] = [];
		const served = await start({ 'held-1': heldImage(held, signals) });
		return { held, signals, served };
	}

	test.each([
		['in the middle of a stream', { ...fields, stream: true }],
		['before the answer', fields],
	])('is aborted within a second when the client disconnects %s', async (_, body) => {
		const { held, signals, served } = await begin();
		const leaving = new AbortController();
		const response = fetch(`${served.url}/v1/images/generations`, {
			method: 'POST',
			headers: { 'x-api-key': keyA, 'content-type': 'application/json' },
			body: JSON.stringify(body),
			signal: leaving.signal,
		});
		if ('stream' in body) await (await response).body?.getReader().read();
		else await held.reached;
		const left = performance.now();
		leaving.abort();
		await response.catch(() => {});
		await eventually('the signal of the model has aborted', () => signals[0]?.aborted === true, 1_000);
		expect(performance.now() - left).toBeLessThan(1_000);
	});

	test('is completed and sent while the server stops', async () => {
		const { held, served } = await begin();
		const response = rawClient(served.url, keyA).post('/v1/images/generations', fields);
		await held.reached;
		const stopped = served.app.stop();
		held.open();
		expect(((await (await response).json()) as WireImages).data).toHaveLength(1);
		await stopped;
	});
});
