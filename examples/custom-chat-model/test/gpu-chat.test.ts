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

/** A GPU server that follows a script. */
interface Gpu {
	answer: RequestListener;
	readonly asked: { readonly turns: readonly object[]; readonly seed: number }[];
	/** How many connections were closed before they were answered. */
	hungUp: number;
}

let gpu: Gpu;
let server: Server;
let url: string;
let app: App;
let client: RawClient;

beforeEach(async () => {
	gpu = { answer: (_req, res) => res.end('Schön, 42.'), asked: [], hungUp: 0 };
	server = createServer(async (req, res) => {
		let text = '';
		for await (const chunk of req) text += chunk;
		gpu.asked.push(JSON.parse(text));
		res.once('close', () => {
			if (!res.writableFinished) gpu.hungUp++;
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
	test('answers about a file whose text it has got', async () => {
		const answer = await (await ask({ seed: 7 })).json();
		expect(answer).toMatchObject({ choices: [{ message: { content: 'Schön, 42.' } }] });
		const [{ turns, seed } = { turns: [], seed: 0 }] = gpu.asked;
		expect(seed).toBe(7);
		expect(turns).toEqual([
			{
				role: 'user',
				texts: ['What is the total?', expect.stringMatching(/^<file name="a.txt"[\s\S]*The total is 42\./)],
			},
		]);
	});

	test('is streamed, and stopped where the client wants', async () => {
		const text = await (await ask({ stream: true, stop: ['42'] })).text();
		expect(text).toContain('"content":"Schön, "');
		expect(text).not.toMatch(/"content":"[^"]*42/);
		expect(text.trimEnd()).toMatch(/data: \[DONE\]$/);
	});

	test("shows the caller the GPU's refusal", async () => {
		gpu.answer = (_req, res) => res.writeHead(507).end();
		const answer = await ask();
		expect([answer.status, await answer.json()]).toMatchObject([
			502,
			{ error: { message: expect.stringContaining('The GPU answered 507.') } },
		]);
	});

	test('is not asked for what it cannot do', async () => {
		const answer = await ask({ response_format: { type: 'json_object' } });
		expect(await answer.json()).toMatchObject({ error: { code: 'unsupported_value' } });
	});

	test('hangs up when its client leaves', async () => {
		gpu.answer = () => {};
		const leave = new AbortController();
		const answer = ask({}, leave.signal).catch(() => {});
		await eventually('the GPU is asked', () => gpu.asked.length === 1);
		leave.abort();
		await eventually('the GPU sees the end', () => gpu.hungUp === 1);
		expect(gpu.hungUp).toBe(1);
		await answer;
	});

	const create = () => createModel(gpuChat({ url }));
	const supports = { tools: false, json: 'none' } as const;

	for (const { name, run } of chatModelSuite({ create, supports })) {
		test(`keeps the sentence: ${name}`, run);
	}
});
