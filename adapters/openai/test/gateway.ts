import { type Authenticator, createApp, defineBackend, services } from '@plinth/core';
import { memoryBlobs, memoryRecords } from '@plinth/memory';
import { chat } from '@plinth/plugin-chat';
import { image } from '@plinth/plugin-image';
import { speech } from '@plinth/plugin-speech';
import { sharpImages } from '@plinth/sharp';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { openai } from '../src/index.ts';
import { keptLog } from './harness.ts';
import { obliging } from './opened.ts';
import { type Got, type Handler, type Scripted, scripted } from './upstream.ts';

/** The three endpoints whose requests can be passed on. */
export const paths = {
	chat: '/v1/chat/completions',
	image: '/v1/images/generations',
	speech: '/v1/audio/speech',
} as const;

/** What clients call the models, and by which key they are known. */
export const modelName = 'mine';
export const clientKey = 'key-of-the-client';
/** What the server calls them, and the key of Plinth there. */
export const upstreamName = 'theirs';
export const upstreamKey = 'key-of-plinth';

/** A server with models of all three kinds behind another one. */
export interface Gateway {
	readonly upstream: Scripted;
	/** What the server got since the gateway was ready. */
	passed(): readonly Got[];
	/** The lines of the log. */
	readonly lines: readonly string[];
	/** Asks one of the endpoints; the body is JSON as it is sent. */
	ask(kind: keyof typeof paths, body: string, init?: RequestInit): Promise<Response>;
}

const auth = defineBackend({
	name: 'fake',
	provides: services.authenticator,
	config: z.strictObject({}),
	create: (): Authenticator => ({
		authenticate: async (id) => ({
			id: 'k',
			tenant: 'alice',
			scopes: id === clientKey ? ['*'] : [],
		}),
	}),
});

/** Requests that open the connections, which only ordinary ones do. */
const openers = {
	chat: { messages: [{ role: 'user', content: 'Hi.' }], n: 2 },
	image: { prompt: 'a cat', style: 'vivid' },
	speech: { input: 'Hi.', voice: { id: 'ann' }, response_format: 'mp3' },
} as const;

/** Starts one, ready to pass requests on; `handler` answers everything from then on. */
export async function gateway(handler: Handler, options: object = {}): Promise<Gateway> {
	const upstream = await scripted(obliging);
	const { log, lines } = keptLog();
	const own = { baseURL: upstream.baseURL, apiKey: upstreamKey, model: upstreamName, retries: 0 };
	const app = await createApp(
		{
			server: { drainDelayMs: 0, graceMs: 50 },
			backends: {
				auth: auth(),
				images: sharpImages(),
				blobs: memoryBlobs(),
				records: memoryRecords(),
			},
			models: {
				'a-chat': { use: openai.chat({ ...own, ...options }), aliases: [modelName] },
				'an-image': openai.image({ ...own, forward: true, ...options }),
				'a-voice': openai.speech({ ...own, ...options }),
			},
			plugins: { chat: chat(), image: image(), speech: speech() },
		},
		{ log, env: {} },
	);
	onTestFinished(() => app.stop());
	const { url } = await app.listen({ host: '127.0.0.1', port: 0 });
	const ask: Gateway['ask'] = (kind, body, init = {}) =>
		fetch(`${url}${paths[kind]}`, {
			method: 'POST',
			headers: { 'x-api-key': clientKey, 'content-type': 'application/json' },
			body,
			...init,
		});
	for (const kind of ['chat', 'image', 'speech'] as const) {
		const opened = await ask(kind, JSON.stringify({ model: ids[kind], ...openers[kind] }));
		if (!opened.ok) throw new Error(await opened.text());
		await opened.arrayBuffer();
	}
	const before = upstream.got.length;
	upstream.on(handler);
	return { upstream, lines, ask, passed: () => upstream.got.slice(before) };
}

/** The ids of the models. */
export const ids = { chat: 'a-chat', image: 'an-image', speech: 'a-voice' } as const;
