import { BootError, defineModelKind, definePlugin, defineRoute, modelErrors } from '@plinth/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
	errorOf,
	eventResponse,
	fakeModels,
	formOf,
	gate,
	jsonOf,
	jsonResponse,
	scriptedModel,
	scriptedUpstream,
	testApp,
} from '../src/index.ts';

interface EchoModel {
	readonly apiVersion: 1;
	echo(text: string, run: { readonly signal: AbortSignal }): Promise<string>;
	shout?(text: string): Promise<string>;
}

const echoModels = defineModelKind<EchoModel>('echo');

const echo = definePlugin({
	id: 'echo',
	config: z.strictObject({}),
	models: [echoModels],
	setup({ models, route }) {
		const known = models(echoModels);
		route(
			defineRoute({
				method: 'POST',
				path: '/v1/echo',
				scope: 'echo',
				summary: 'Say it again',
				body: z.object({ model: z.string(), text: z.string() }),
				response: { description: 'The same text.', schema: z.object({ text: z.string() }) },
				errors: modelErrors,
				handler: async ({ body: { model: id, text } }, call) => ({
					text: await known.ask(id, call, ({ model, signal }) => model.echo(text, { signal })),
				}),
			}),
		);
		route(
			defineRoute({
				method: 'GET',
				path: '/v1/echo/owner',
				scope: 'echo',
				summary: 'Whose key it is',
				response: { description: 'The tenant.', schema: z.object({ tenant: z.string() }) },
				errors: [],
				handler: async (_, { principal }) => ({ tenant: principal?.tenant ?? 'nobody' }),
			}),
		);
	},
});

async function echoApp(key?: string) {
	const model = scriptedModel(echoModels, { apiVersion: 1, echo: async (text) => text });
	const app = await testApp({
		...(key ? { key } : {}),
		models: { parrot: model.use },
		plugins: { echo: echo() },
		onTestFinished,
	});
	return { ...app, model };
}

describe('testApp', () => {
	it('boots a plugin with a fake model, and sends it JSON', async () => {
		const { post, model } = await echoApp();
		const response = await post('/v1/echo', { model: 'parrot', text: 'Hello.' });
		expect(await jsonOf(response)).toEqual({ text: 'Hello.' });
		expect(model.callsOf('echo')).toEqual([{ request: 'Hello.', run: { signal: expect.any(AbortSignal) } }]);
	});

	it.each([
		['alice', 200, { tenant: 'alice' }],
		['bob.echo', 200, { tenant: 'bob' }],
		['bob.videos:read+echo', 200, { tenant: 'bob' }],
		['bob.videos:read', 403, { error: {} }],
		['nobody', 401, { error: {} }],
		[null, 401, { error: {} }],
	])('the key %s consists of a tenant and its scopes', async (key, status, body) => {
		const { get } = await echoApp();
		expect(await jsonOf(await get('/v1/echo/owner', { key }), status)).toMatchObject(body);
	});

	it('sends the key of its options unless a request names another', async () => {
		const { get } = await echoApp('carol');
		expect(await jsonOf(await get('/v1/echo/owner'))).toEqual({ tenant: 'carol' });
		expect(await jsonOf(await get('/v1/echo/owner', { key: 'dora' }))).toEqual({ tenant: 'dora' });
	});

	it('starts nothing with a wrong config', async () => {
		const models = {
			parrot: scriptedModel(echoModels, { apiVersion: 1, echo: async () => '' }).use,
		};
		const plugins = { echo: echo(), twice: echo() };
		await expect(testApp({ models, plugins })).rejects.toThrow(BootError);
	});

	it('is stopped by the hook of the runner, or by its stop function', async () => {
		let end = async () => {};
		const hooked = await testApp({
			onTestFinished: (stop) => {
				end = stop;
			},
		});
		await end();
		expect(hooked.app.state).toBe('stopped');
		const plain = await testApp({});
		await plain.stop();
		expect(plain.app.state).toBe('stopped');
	});

	it('has a manual clock, unless time is real', async () => {
		const { clock, stop } = await testApp({});
		const before = clock.now();
		await new Promise((resolve) => setImmediate(resolve));
		expect(clock.now()).toBe(before);
		await stop();
	});
});

describe('requests and responses', () => {
	it('errorOf returns the members of an error, and refuses other responses', async () => {
		const { get, post } = await echoApp();
		expect(await errorOf(await get('/v1/nothing'))).toMatchObject({ status: 404, param: null });
		const good = await post('/v1/echo', { model: 'parrot', text: '' });
		await expect(errorOf(good)).rejects.toThrow('the response is not an error');
	});

	it('jsonOf reports an unexpected status with the body', async () => {
		const { get } = await echoApp();
		const absent = await get('/v1/nothing');
		await expect(jsonOf(absent)).rejects.toThrow(/404 and not 200: .*"error"/);
	});

	it('a form has fields in order, lists as repeated fields, and bytes as files', async () => {
		const form = formOf({ a: ['1', '2'], file: new Uint8Array([7]), b: '3' });
		expect([...form.keys()]).toEqual(['a', 'a', 'file', 'b']);
		const file = form.get('file') as File;
		expect([file.name, [...new Uint8Array(await file.arrayBuffer())]]).toEqual(['input.bin', [7]]);
	});
});

describe('scriptedModel', () => {
	it('follows its current script, and records every call', async () => {
		const { post, model } = await echoApp();
		const { passed, open } = gate();
		model.script.echo = async (text) => {
			await passed;
			return text.toUpperCase();
		};
		const response = post('/v1/echo', { model: 'parrot', text: 'wait' });
		open();
		expect(await jsonOf(await response)).toEqual({ text: 'WAIT' });
		expect(model.callsOf('echo')).toHaveLength(1);
	});

	it('has only the given members', async () => {
		const { use } = scriptedModel(echoModels, { apiVersion: 1, echo: async () => '' });
		const model = await use.definition.create({} as never);
		expect(Object.keys(model)).toEqual(['apiVersion', 'echo']);
	});

	it('returns a map of several models for the config', async () => {
		const one: EchoModel = { apiVersion: 1, echo: async () => 'one' };
		const two: EchoModel = { apiVersion: 1, echo: async () => 'two' };
		const models = fakeModels(echoModels, { one, two });
		const { post } = await testApp({ models, plugins: { echo: echo() }, onTestFinished });
		const response = await post('/v1/echo', { model: 'two', text: '' });
		expect(await jsonOf(response)).toEqual({ text: 'two' });
	});
});

describe('scriptedUpstream', () => {
	it('uses each script once, then repeats the last one, and records requests', async () => {
		const upstream = await scriptedUpstream(jsonResponse({ n: 0 }), { onTestFinished });
		upstream.script(jsonResponse({ n: 1 }, 503, { 'retry-after': '1' }), eventResponse({ n: 2 }, '[DONE]'));
		const first = await fetch(`${upstream.url}/v1/x?y=1`, { method: 'POST', body: 'text' });
		expect([first.status, first.headers.get('retry-after'), await first.json()]).toEqual([503, '1', { n: 1 }]);
		for (const _ of [1, 2]) {
			expect(await (await fetch(upstream.url)).text()).toBe('data: {"n":2}\n\ndata: [DONE]\n\n');
		}
		expect(upstream.requests).toMatchObject([{ method: 'POST', path: '/v1/x?y=1' }, {}, {}]);
		expect(upstream.requests[0]?.body.toString()).toBe('text');
		expect(upstream.requests[0]?.isAborted()).toBe(false);
	});

	it('closes the connection when a script throws', async () => {
		const upstream = await scriptedUpstream(() => {
			throw new Error('no');
		});
		await expect(fetch(upstream.url)).rejects.toThrow();
		await upstream.stop();
	});

	it('reports that a client has disconnected', async () => {
		const upstream = await scriptedUpstream(() => {}, { onTestFinished });
		const leave = new AbortController();
		const answer = fetch(upstream.url, { signal: leave.signal }).catch(() => 'left');
		while (upstream.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
		leave.abort();
		expect(await answer).toBe('left');
		while (!upstream.requests[0]?.isAborted()) await new Promise((resolve) => setImmediate(resolve));
	});
});
