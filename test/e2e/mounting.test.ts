import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient, type WireList } from '../support/client.ts';
import { fakeImage, fakeVideo, tinyMp4 } from '../support/fake-models.ts';
import { pngSize, rawPng } from '../support/png.ts';
import { bootEmbedded, keyA } from '../support/serve.ts';

let booted: Awaited<ReturnType<typeof bootEmbedded>>;
const hosts: Server[] = [];

beforeAll(async () => {
	booted = await bootEmbedded({ models: { 'instant-1': fakeVideo(), 'paint-1': fakeImage() } });
});

afterAll(() => booted?.stop());

afterEach(async () => {
	for (const host of hosts.splice(0)) {
		host.closeAllConnections();
		await new Promise((resolve) => host.close(resolve));
	}
});

/** Starts a server of the test's own, which Plinth must not close. */
async function listen(handler: RequestListener): Promise<string> {
	const host = createServer(handler);
	hosts.push(host);
	await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
}

/** Uses everything that a host can get wrong: JSON and multipart bodies, a download, speech, an error and a key. */
function worksThrough(door: () => Promise<RawClient>): void {
	test('takes a JSON body and serves a download', async () => {
		const client = await door();
		expect(await client.render({ model: 'instant-1', prompt: 'JSON' })).toEqual(tinyMp4);
	});

	test('takes a multipart body', async () => {
		const form = new FormData();
		form.set('model', 'instant-1');
		form.set('prompt', 'a form');
		const answer = await (await door()).send('/v1/videos', { method: 'POST', body: form });
		expect(answer.status).toBe(201);
	});

	test('streams speech', async () => {
		const answer = await (await door()).post('/v1/audio/speech', {
			model: 'builtin-speech',
			voice: 'nova',
			input: 'Hello from inside.',
			response_format: 'pcm',
		});
		expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(24_000);
	});

	test('takes pictures in JSON and in a form, and answers with pictures', async () => {
		const client = await door();
		const picture = rawPng(160, 120);
		const image_url = `data:image/png;base64,${Buffer.from(picture).toString('base64')}`;
		const form = new FormData();
		form.set('model', 'paint-1');
		form.set('prompt', 'a form');
		form.set('image', new Blob([picture]));
		const size = { width: 1024, height: 1024 };
		form.set('size', '1024x1024');
		const answers = [
			await client.post('/v1/images/edits', {
				model: 'paint-1',
				prompt: 'JSON',
				image: { image_url },
				size: '1024x1024',
			}),
			await client.send('/v1/images/edits', { method: 'POST', body: form }),
		];
		for (const answer of answers) {
			const { data } = (await answer.json()) as { readonly data: { b64_json: string }[] };
			expect(pngSize(Buffer.from(data[0]?.b64_json ?? '', 'base64'))).toEqual(size);
		}
	});

	test('lists what was made through any door', async () => {
		const page = await (await door()).json<WireList>('/v1/videos?limit=1');
		expect(page.data).toHaveLength(1);
	});

	test('answers failures in its own form', async () => {
		const answer = await (await door()).send('/v1/videos/nonsense');
		expect([answer.status, answer.headers.get('x-request-id')]).toEqual([
			404,
			expect.stringMatching(/^req_/),
		]);
	});
}

describe('as a (req, res, next) handler under a prefix', () => {
	// As Express does it: the mount path is stripped, and `next` passes a request on.
	const host = () => {
		const handle = booted.app.callback();
		return listen((req, res) => {
			const own = (status: number) => {
				res.statusCode = status;
				res.end('the host');
			};
			if (!req.url?.startsWith('/ai/')) return own(200);
			req.url = req.url.slice(3);
			handle(req, res, (error) => own(error ? 500 : 404));
		});
	};

	worksThrough(async () => rawClient(`${await host()}/ai`, keyA));

	test("leaves the host's own pages alone", async () => {
		expect(await (await fetch(await host())).text()).toBe('the host');
	});

	test('passes on what is not ours', async () => {
		const answer = await fetch(`${await host()}/ai/somewhere`);
		expect([answer.status, await answer.text()]).toEqual([404, 'the host']);
	});
});

describe('as a Koa middleware', () => {
	const host = () => {
		const koa = new Koa();
		koa.use(async (ctx, next) => {
			ctx.set('x-host', 'koa');
			await next();
		});
		koa.use(booted.app.middleware());
		koa.use((ctx) => {
			ctx.body = 'the host';
		});
		return listen(koa.callback());
	};

	worksThrough(async () => rawClient(await host(), keyA));

	test('keeps what an earlier middleware set', async () => {
		const answer = await fetch(`${await host()}/healthz`);
		expect([answer.status, answer.headers.get('x-host')]).toEqual([200, 'koa']);
	});

	test('passes on what is not ours', async () => {
		expect(await (await fetch(`${await host()}/somewhere`)).text()).toBe('the host');
	});
});

describe('as a fetch handler', () => {
	const door = (request: Request) => booted.app.fetch(request);

	worksThrough(async () => rawClient('http://plinth.test', keyA, door));

	test('serves a part of a download', async () => {
		const client = rawClient('http://plinth.test', keyA, door);
		const { id } = await client.create({ model: 'instant-1', prompt: 'part' });
		await client.finished(id);
		const headers = { range: 'bytes=4-7' };
		const answer = await client.send(`/v1/videos/${id}/content`, { headers });
		expect([answer.status, await answer.text()]).toEqual([206, 'ftyp']);
	});
});

describe('a host', () => {
	test('keeps its own server when Plinth stops', async () => {
		const guest = await bootEmbedded();
		const handle = guest.app.callback();
		const url = await listen((req, res) => {
			if (req.url === '/own') res.end('the host');
			else handle(req, res);
		});
		await fetch(`${url}/healthz`);
		await guest.stop();
		expect(await (await fetch(`${url}/own`)).text()).toBe('the host');
	});
});
