import { randomBytes } from 'node:crypto';
import { createApp, defineModel, definePlugin, defineRoute, fileField, Reply } from '@plinth/core';
import { type VideoModel, videoModels } from '@plinth/plugin-video/model';
import { embedded } from 'plinth';
import { z } from 'zod';
import { collectWhenAsked } from './collect.ts';

// The built-in composition with its real backends and its real log, plus a model and routes that cost nothing
// themselves.
const videoBytes = 8 * 1024 * 1024;

/** Responds immediately with 8 MB that begin like an MP4. */
const instantVideo = defineModel({
	kind: videoModels,
	name: 'bench.video',
	config: z.strictObject({}),
	create: (): VideoModel => ({
		apiVersion: 1,
		async generate() {
			const body = randomBytes(videoBytes);
			body.set(Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1'));
			return { body, mediaType: 'video/mp4' };
		},
	}),
});

const answer = { ok: true };
const response = { description: 'Something short.' };

const bench = definePlugin({
	id: 'bench',
	config: z.strictObject({}),
	setup({ route }) {
		route(
			defineRoute({
				method: 'GET',
				path: '/bench/open',
				scope: 'public',
				summary: 'Without a key',
				response,
				errors: [],
				handler: () => answer,
			}),
			defineRoute({
				method: 'GET',
				path: '/v1/bench/keyed',
				scope: 'bench:read',
				summary: 'With a key',
				response,
				errors: [],
				handler: () => answer,
			}),
			defineRoute({
				method: 'GET',
				path: '/v1/bench/checked',
				scope: 'bench:read',
				summary: 'With a key and a query that is checked',
				query: z.strictObject({
					limit: z.coerce.number().int().min(1).max(100).default(20),
					order: z.enum(['asc', 'desc']).default('desc'),
					after: z.string().max(100).optional(),
				}),
				response,
				errors: [],
				handler: () => answer,
			}),
			defineRoute({
				method: 'POST',
				path: '/v1/bench/uploads',
				scope: 'bench:write',
				summary: 'A file that goes to the disk and is thrown away',
				body: z.strictObject({ prompt: z.string(), image: fileField() }),
				encoding: 'multipart',
				response,
				errors: [],
				handler: ({ body }) => ({ size: body.image.size }),
			}),
			defineRoute({
				method: 'GET',
				path: '/v1/bench/idle',
				scope: 'bench:read',
				summary: 'An event stream without events',
				response: { ...response, mediaTypes: ['text/event-stream'] },
				errors: [],
				handler: (_, { signal }) => Reply.events(silence(signal)),
			}),
		);
	},
});

/** Yields nothing until the client disconnects. */
function silence(signal: AbortSignal): AsyncIterable<never> {
	return {
		[Symbol.asyncIterator]: () => ({
			next: () =>
				new Promise((resolve) => {
					signal.addEventListener('abort', () => resolve({ done: true, value: undefined }));
				}),
		}),
	};
}

const app = await createApp(
	{
		extends: embedded,
		server: { port: 0, drainDelayMs: 0 },
		models: { 'bench-video': instantVideo() },
		plugins: { bench: bench() },
	},
	{ env: process.env },
);
collectWhenAsked();
const { url } = await app.listen();
process.send?.({ port: Number(new URL(url).port) });
