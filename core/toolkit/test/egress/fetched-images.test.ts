import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { UploadedFile } from '@plinth/core';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { EgressOptions } from '../../src/egress/egress.ts';
import { FetchedImages } from '../../src/egress/fetched-images.ts';
import type { FetchingCall } from '../../src/ports/remote-images.ts';

let server: Server;
let base: string;
let hits: string[] = [];
/** Requests for `/held`, which get their response when the test sends it. */
let held: (() => void)[] = [];

beforeAll(async () => {
	server = createServer(({ url = '', headers }, response) => {
		hits.push(url);
		if (url.startsWith('/held')) held.push(() => response.end('held'));
		else if (url === '/missing') response.writeHead(404).end();
		else if (url === '/silent') response.socket?.destroy();
		else if (url === '/large') response.end(Buffer.alloc(20_971_521));
		else if (url === '/full') response.end(Buffer.alloc(20_971_520));
		else if (url.startsWith('/status/')) answerWith(Number(url.slice(8)), response);
		else if (url === '/away') response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
		else response.end(`${headers['user-agent']} ${headers.accept}`);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
	base = `http://127.0.0.2:${(server.address() as AddressInfo).port}`;
});

/** Sends a status, with a body like a picture if the status allows one. */
function answerWith(status: number, response: ServerResponse): void {
	response.writeHead(status, status === 206 ? { 'content-range': 'bytes 0-3/9' } : {});
	response.end([204, 304].includes(status) ? undefined : 'body');
}

beforeEach(() => {
	hits = [];
	held = [];
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

function fetcher(options: EgressOptions = {}): FetchedImages {
	const isAllowed = (address: string) => address === '127.0.0.2';
	const images = new FetchedImages({ allowHttp: true, isAllowed, ...options });
	onTestFinished(() => images.close());
	return images;
}

function callOf(tenant = 'alice', { signal } = new AbortController()): FetchingCall {
	return {
		principal: { id: 'p', tenant, scopes: [] },
		signal,
		async keep(body) {
			const bytes = await buffer(body);
			return { size: bytes.length, bytes: async () => bytes } as unknown as UploadedFile;
		},
	};
}

const sentence = (fetching: Promise<unknown>) =>
	fetching.then(
		() => 'taken',
		({ code, param, message }) => [code, param, message],
	);

describe('a picture behind an address', () => {
	test('is fetched with a User-Agent that names the program', async () => {
		const file = await fetcher().fetch(`${base}/`, 'p', callOf());
		expect(String(await file.bytes())).toMatch(/^Plinth\/\S+ image\/png, image\/jpeg, image\/webp$/);
	});

	test('may have at most 20 MB', async () => {
		const images = fetcher();
		expect((await images.fetch(`${base}/full`, 'p', callOf())).size).toBe(20_971_520);
		expect(await sentence(images.fetch(`${base}/large`, 'p', callOf()))).toEqual([
			'E_VALUE_INVALID',
			'p',
			'p: there are more than 20971520 bytes at this address.',
		]);
	});

	test('that cannot be fetched causes the same message for every reason', async () => {
		const images = fetcher();
		const { port } = new URL(base);
		const closed = `http://127.0.0.2:${Number(port) === 1 ? 2 : 1}/`;
		const all = await Promise.all(
			[`${base}/missing`, `${base}/silent`, closed].map((url) => sentence(images.fetch(url, 'p', callOf()))),
		);
		expect(all[0]).toEqual([
			'E_VALUE_INVALID',
			'p',
			'p: the picture cannot be fetched. Its address must respond within 10 seconds with status 200, without authentication.',
		]);
		expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(1);
	});

	test.each([201, 202, 203, 204, 205, 206, 226, 300, 301, 302, 304, 307, 400, 404, 500])(
		'is refused with status %i',
		async (status) => {
			expect(await sentence(fetcher().fetch(`${base}/status/${status}`, 'p', callOf()))).toEqual([
				'E_VALUE_INVALID',
				'p',
				expect.stringContaining('with status 200'),
			]);
		},
	);

	test('outside the public internet is refused by its name', async () => {
		const notFound = Object.assign(new Error('no'), { code: 'ENOTFOUND', hostname: 'gone.lan' });
		const images = fetcher({
			resolve: async (hostname) =>
				hostname === 'gone.lan' ? Promise.reject(notFound) : [{ address: '10.0.0.1', family: 4 }],
		});
		const refused = (url: string) => sentence(images.fetch(url, 'p', callOf()));
		const outside = (host: string) => ['E_VALUE_INVALID', 'p', `p: ${host} has no address in the public internet.`];
		expect(await refused('http://10.0.0.1/')).toEqual(outside('10.0.0.1'));
		expect(await refused('http://here.lan/')).toEqual(outside('here.lan'));
		expect(await refused('http://gone.lan/')).toEqual(outside('gone.lan'));
		expect(await refused(`${base}/away`)).toEqual(outside('127.0.0.1'));
		expect(hits).toEqual(['/away']);
	});

	test('is fetched for two requests of a tenant and four in all at a time', async () => {
		const images = fetcher();
		const ask = (tenant: string) => images.fetch(`${base}/held?${tenant}`, 'p', callOf(tenant));
		const all = ['a', 'a', 'a', 'b', 'b', 'c'].map(ask);
		await eventually('four are asked for', () => held.length === 4);
		expect([...hits].sort()).toEqual(['/held?a', '/held?a', '/held?b', '/held?b']);
		for (let answered = 0; answered < all.length; answered += 1) {
			await eventually('the next one is asked for', () => held.length > answered);
			expect(held.length).toBeLessThanOrEqual(answered + 4);
			held[answered]?.();
		}
		expect(await Promise.all(all)).toHaveLength(6);
	});

	test('is not awaited after the signal aborts', async () => {
		const stop = new AbortController();
		const fetching = fetcher().fetch(`${base}/held`, 'p', callOf('alice', stop));
		await eventually('it is asked for', () => held.length === 1);
		stop.abort(new Error('the client has left'));
		await expect(fetching).rejects.toThrow('the client has left');
	});
});
