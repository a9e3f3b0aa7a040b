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
import { type Handler, type ScriptedUpstream, scripted } from './upstream.ts';

/** The three endpoints whose requests can be passed through. */
export const paths = {
	chat: '/v1/chat/completions',
	image: '/v1/images/generations',
	speech: '/v1/audio/speech',
} as const;

/** The model name that clients use, and their key. */
export const modelName = 'mine';
export const clientKey = 'key-of-the-client';
/** The model name at the upstream, and the key of Plinth there. */
export const upstreamName = 'theirs';
export const upstreamKey = 'key-of-plinth';

/** A server with models of all three kinds, whose upstream is scripted. */
export interface Gateway {
	readonly upstream: ScriptedUpstream;
	/** The lines of the log. */
	readonly lines: readonly string[];
	/** Posts a JSON text to one of the endpoints. */
	post(kind: keyof typeof paths, body: string, init?: RequestInit): Promise<Response>;
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

/** Starts a gateway; `handler` answers all upstream requests. */
export async function gateway(handler: Handler, options: object = {}): Promise<Gateway> {
	const upstream = await scripted(handler);
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
	const post: Gateway['post'] = (kind, body, init = {}) =>
		fetch(`${url}${paths[kind]}`, {
			method: 'POST',
			headers: { 'x-api-key': clientKey, 'content-type': 'application/json' },
			body,
			...init,
		});
	return { upstream, lines, post };
}

/** The ids of the models. */
export const ids = { chat: 'a-chat', image: 'an-image', speech: 'a-voice' } as const;
