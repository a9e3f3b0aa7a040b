import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type App, createApp } from '@plinth/core';
import { apiKeys } from '@plinth/keys';
import { chat } from '@plinth/plugin-chat';
import { chatModelSuite } from '@plinth/plugin-chat/testing';
import { createModel, eventually, silentLogger } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../../../test/support/client.ts';
import { fakeDocuments } from '../../../test/support/fake-documents.ts';
import { gpuChat } from '../gpu-chat.ts';

/** A scripted GPU server. */
interface Gpu {
	answer: RequestListener;
	readonly requests: { readonly turns: readonly object[]; readonly seed: number }[];
	/** The number of connections that were closed before a response. */
	aborted: number;
}

let gpu: Gpu;
let server: Server;
let url: string;
let app: App;
let client: RawClient;

beforeEach(async () => {
	gpu = { answer: (_req, res) => res.end('Schön, 42.'), requests: [], aborted: 0 };
	server = createServer(async (req, res) => {
		let text = '';
		for await (const chunk of req) text += chunk;
		gpu.requests.push(JSON.parse(text));
		res.once('close', () => {
			if (!res.writableFinished) gpu.aborted++;
		});
		gpu.answer(req, res);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	app = await createApp(
		{
			backends: { documents: fakeDocuments()(), auth: apiKeys({ keys: 'me:key-of-the-tests' }) },
			models: { 'talk-1': gpuChat({ url }) },
			plugins: { chat: chat() },
		},
		{ log: silentLogger() },
	);
	client = rawClient('http://plinth.test', 'key-of-the-tests', (request) => app.fetch(request));
});

afterEach(async () => {
	await app.stop();
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

const file = { type: 'file', file: { filename: 'a.txt', file_data: btoa('The total is 42.') } };
const content = [{ type: 'text', text: 'What is the total?' }, file];

function ask(fields: object = {}, signal: AbortSignal | null = null): Promise<Response> {
	return client.send('/v1/chat/completions', {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'talk-1', messages: [{ role: 'user', content }], ...fields }),
		signal,
	});
}

describe('a chat model of your own', () => {
	test('receives the text of an attached file', async () => {
		const answer = await (await ask({ seed: 7 })).json();
		expect(answer).toMatchObject({ choices: [{ message: { content: 'Schön, 42.' } }] });
		const [{ turns, seed } = { turns: [], seed: 0 }] = gpu.requests;
		expect(seed).toBe(7);
		expect(turns).toEqual([
			{
				role: 'user',
				texts: ['What is the total?', expect.stringMatching(/^<file name="a.txt"[\s\S]*The total is 42\./)],
			},
		]);
	});

	test('is streamed, and ends at a stop sequence of the client', async () => {
		const text = await (await ask({ stream: true, stop: ['42'] })).text();
		expect(text).toContain('"content":"Schön, "');
		expect(text).not.toMatch(/"content":"[^"]*42/);
		expect(text.trimEnd()).toMatch(/data: \[DONE\]$/);
	});

	test('passes the error of the GPU server to the client', async () => {
		gpu.answer = (_req, res) => res.writeHead(507).end();
		const answer = await ask();
		expect([answer.status, await answer.json()]).toMatchObject([
			502,
			{ error: { message: expect.stringContaining('The GPU answered 507.') } },
		]);
	});

	test('is not called for unsupported features', async () => {
		const answer = await ask({ response_format: { type: 'json_object' } });
		expect(await answer.json()).toMatchObject({ error: { code: 'unsupported_value' } });
	});

	test('closes its connection when the client disconnects', async () => {
		gpu.answer = () => {};
		const controller = new AbortController();
		const answer = ask({}, controller.signal).catch(() => {});
		await eventually('the GPU server receives the request', () => gpu.requests.length === 1);
		controller.abort();
		await eventually('the GPU server sees the closed connection', () => gpu.aborted === 1);
		expect(gpu.aborted).toBe(1);
		await answer;
	});

	const create = () => createModel(gpuChat({ url }));
	const supports = { tools: false, json: 'none' } as const;

	for (const { name, run } of chatModelSuite({ create, supports })) {
		test(`passes the case: ${name}`, run);
	}
});
