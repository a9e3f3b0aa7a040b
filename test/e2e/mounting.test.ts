import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fromHost } from '@plinth/hosts';
import { plinth } from '@plinth/hosts/node';
import { eventually } from '@plinth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hosts, ownPage, passesParsed, type RunningHost } from '../../adapters/hosts/test/hosts.ts';
import { requests, type Visit } from '../../adapters/hosts/test/requests.ts';
import { failure, rawClient } from '../support/client.ts';
import { fakeChat } from '../support/fake-chat.ts';
import { fakeImage, fakeVideo, gate } from '../support/fake-models.ts';
import { rawPng } from '../support/png.ts';
import { bootEmbedded, keyA } from '../support/serve.ts';

const chats: AbortSignal[] = [];
const held = gate();
let booted: Awaited<ReturnType<typeof bootEmbedded>>;
const all = Object.entries(hosts);

beforeAll(async () => {
	booted = await bootEmbedded({
		models: {
			'instant-1': fakeVideo(),
			'paint-1': fakeImage(),
			'echo-1': fakeChat(),
			'slow-1': slowChat(held.opened, chats),
		},
	});
});

afterAll(async () => {
	held.open();
	await booted?.stop();
});

/** Sends the first word at once, and the others when the gate opens. */
function slowChat(opened: Promise<void>, signals: AbortSignal[] = []) {
	const begun = new Set<AbortSignal | undefined>();
	const held = () => {
		const call = signals.at(-1);
		if (begun.has(call)) return opened;
		begun.add(call);
		return Promise.resolve();
	};
	return fakeChat({ held, signals });
}

describe.each(all)('in %s', (_, start) => {
	let visit: Visit;
	let host: RunningHost;

	beforeAll(async () => {
		host = await start(booted.app);
		const { url, fetch: door } = host;
		visit = {
			host,
			client: rawClient(url, keyA, door),
			stranger: (path, init) => door(new Request(`${url}${path}`, init)),
			chats,
		};
	});

	afterAll(() => host?.close?.());

	test.each(Object.entries(requests))('%s', (_, send) => send(visit));
});

describe('behind the body parsers of a host', () => {
	let host: RunningHost | undefined;

	afterEach(async () => {
		await host?.close?.();
		host = undefined;
	});

	test.each(all)('%s', async (name, start) => {
		host = await start(booted.app, { parsers: true });
		const client = rawClient(host.url, keyA, host.fetch);
		const form = new FormData();
		form.set('model', 'paint-1');
		form.set('prompt', 'a form');
		form.set('image', new Blob([rawPng(16, 16)]));
		const message = 'a body that the host has parsed';
		const responses = {
			JSON: await client.send('/v1/chat/completions', {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				// With white space that a parser drops, so that the parsed body has another length.
				body: JSON.stringify({ model: 'echo-1', messages: [{ role: 'user', content: message }] }, null, 2),
			}),
			'a form': await client.send('/v1/images/edits', { method: 'POST', body: form }),
		};
		for (const [kind, response] of Object.entries(responses)) {
			if (passesParsed[name]?.includes(kind)) expect(response.status).toBe(200);
			else {
				const { message } = await failure(response);
				expect([response.status, message]).toEqual([400, expect.stringMatching(/mount Plinth before/)]);
			}
		}
		if (responses.JSON.ok) expect(await responses.JSON.text()).toContain(message);
	});

	test('bytes that it has not parsed are read unchanged', async () => {
		const mounted = plinth(booted.app);
		const server = createServer(async (req, res) => {
			Object.assign(req, { body: Buffer.concat(await req.toArray()) });
			mounted(req, res);
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		const client = rawClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, keyA);
		const form = new FormData();
		form.set('purpose', 'user_data');
		form.set('file', new Blob(['kept whole']), 'a.txt');
		const messages = [{ role: 'user', content: 'bytes' }];
		const responses = [
			await client.post('/v1/chat/completions', { model: 'echo-1', messages }),
			await client.send('/v1/files', { method: 'POST', body: form }),
		];
		expect(responses.map(({ status }) => status)).toEqual([200, 200]);
		server.closeAllConnections();
		server.close();
	});

	test.each(all.filter(([name]) => passesParsed[name]?.includes('JSON')))(
		'%s passes no hostile JSON',
		async (_, start) => {
			host = await start(booted.app, { parsers: true });
			const { url, fetch: door } = host;
			const headers = { 'content-type': 'application/json', 'x-api-key': keyA };
			const post = (body: string) => door(new Request(`${url}/v1/chat/completions`, { method: 'POST', headers, body }));
			const responses = [
				await post('{"model":"echo-1","messages":[],"metadata":{"__proto__":{"a":1}}}'),
				await post(`{"model":${'['.repeat(200)}${']'.repeat(200)}}`),
			];
			// Some parsers refuse it themselves, with their own error.
			for (const response of responses) expect(response.status).toBe(400);
		},
	);
});

describe('a host that authenticates', () => {
	interface Signed {
		readonly user?: unknown;
		readonly state?: { readonly user?: unknown };
		readonly var?: { readonly user?: unknown };
	}
	/** Finds the user in the way of each host. */
	const identify = fromHost((request: Signed, context?: Signed) => {
		const own = context?.user ?? request.user ?? request.state?.user ?? request.var?.user;
		return own as { id: string; tenant: string; scopes: string[] } | undefined;
	});
	const sessions = {
		ada: { id: 'ada', tenant: 'engines', scopes: ['*'] },
		bob: { id: 'bob', tenant: 'builders', scopes: ['videos:read'] },
		odd: { id: 'odd' },
	};
	let authenticating: Awaited<ReturnType<typeof bootEmbedded>>;
	let host: RunningHost | undefined;

	beforeAll(async () => {
		authenticating = await bootEmbedded({
			backends: { auth: identify },
			models: { 'instant-1': fakeVideo() },
		});
	});

	afterEach(async () => {
		await host?.close?.();
		host = undefined;
	});

	afterAll(() => authenticating?.stop());

	test.each(all)('%s', async (_, start) => {
		host = await start(authenticating.app, { sessions });
		const { url, fetch: door } = host;
		const ask = (session: string, path: string, init: RequestInit = {}) =>
			door(
				new Request(`${url}${path}`, {
					...init,
					headers: { 'x-session': session, 'content-type': 'application/json' },
				}),
			);
		const body = JSON.stringify({ model: 'instant-1', prompt: 'mine' });
		const made = await ask('ada', '/v1/videos', { method: 'POST', body });
		const { id } = (await made.json()) as { id: string };
		const statuses = [
			made.status,
			(await ask('ada', `/v1/videos/${id}`)).status,
			(await ask('bob', `/v1/videos/${id}`)).status,
			(await ask('bob', '/v1/videos', { method: 'POST', body })).status,
			(await ask('nobody', '/v1/videos')).status,
			(await ask('odd', '/v1/videos')).status,
			(await door(new Request(`${url}/v1/videos`, { headers: { 'x-api-key': keyA } }))).status,
		];
		expect(statuses).toEqual([201, 200, 404, 403, 401, 500, 401]);
	});

	test('is called for the built-in listener, too, with the bare request', async () => {
		const { url } = await authenticating.app.listen({ port: 0 });
		expect((await fetch(`${url}/v1/videos`, { headers: { 'x-session': 'ada' } })).status).toBe(401);
	});
});

describe('the end', () => {
	/** Requests a stream on its own connection; resolves when it begins. */
	async function ask(url: string): Promise<IncomingMessage> {
		const headers = { 'content-type': 'application/json', 'x-api-key': keyA };
		const messages = [{ role: 'user', content: 'one two three' }];
		const asking = request(`${url}/v1/chat/completions`, { method: 'POST', agent: false, headers });
		asking.end(JSON.stringify({ model: 'slow-1', stream: true, messages }));
		return (await once(asking, 'response'))[0];
	}
	const listening = all.filter(([name]) => name !== 'fetch');

	/** Boots an app inside every host, with a stream running in each. */
	async function streaming() {
		const { opened, open } = gate();
		const signals: AbortSignal[] = [];
		const booted = await bootEmbedded({ models: { 'slow-1': slowChat(opened, signals) } });
		const running: RunningHost[] = [];
		const streams: IncomingMessage[] = [];
		for (const [, start] of listening) {
			const host = await start(booted.app);
			running.push(host);
			streams.push(await ask(host.url));
		}
		const texts = Promise.all(streams.map((stream) => text(stream)));
		return { booted, running, texts, open };
	}

	test('of Plinth completes responses and leaves every host running', async () => {
		const { booted, running, texts, open } = await streaming();
		const stopped = booted.stop();
		for (const { url } of running) {
			const state = async () => (await fetch(`${url}/v1/models`, { headers: { 'x-api-key': keyA } })).status;
			await eventually('new requests get 503', async () => (await state()) === 503);
			expect(await (await fetch(new URL('/v1/own', url))).text()).toBe(ownPage);
		}
		open();
		for (const text of await texts) expect(text).toMatch(/three[\s\S]*data: \[DONE\]/);
		await stopped;
		for (const { url, close } of running) {
			expect(await (await fetch(new URL('/v1/own', url))).text()).toBe(ownPage);
			await close?.();
		}
	});

	test('of a host completes responses first, too', async () => {
		const { booted, running, texts, open } = await streaming();
		const closed = Promise.all(running.map(({ close }) => close?.()));
		open();
		for (const text of await texts) expect(text).toMatch(/three[\s\S]*data: \[DONE\]/);
		await closed;
		expect((await booted.app.fetch(new Request('http://host.test/readyz'))).status).toBe(200);
		await booted.stop();
	});

	test('installs no signal handler', async () => {
		const names = ['SIGTERM', 'SIGINT', 'beforeExit', 'uncaughtException'];
		const count = () => names.map((name) => process.listenerCount(name));
		const before = count();
		const booted = await bootEmbedded();
		await booted.app.start();
		const during = count();
		await booted.stop();
		expect(during).toEqual(before);
	});
});
