import { readFile } from 'node:fs/promises';
import {
	type App,
	type AppConfig,
	type Authenticator,
	type BlobStore,
	createApp,
	defineBackend,
	defineModel,
	type ModelBindingOptions,
	services,
} from '@plinth/core';
import { memoryBlobs, memoryEvents, memoryJobs } from '@plinth/memory';
import { events } from '@plinth/plugin-events';
import { eventually, type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import { type ImageCodec, type ImageFormat, mediaError, mediaServices } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { video } from '../src/index.ts';
import { type VideoModel, type VideoRequest, type VideoRun, videoModels } from '../src/model.ts';
import type { Video } from '../src/wire.ts';

/** Pictures that the fake codec knows by their first bytes. */
export const png = Buffer.from('\x89PNG\r\n\x1a\n a small picture', 'latin1');
export const jpeg = Buffer.from('\xff\xd8\xff\xe0 a small picture', 'latin1');
export const webp = Buffer.from('RIFF\0\0\0\0WEBP a small picture', 'latin1');
/** One that says of itself that it has more than 50 megapixels. */
export const hugePng = Buffer.from('\x89PNG\r\n\x1a\n HUGE', 'latin1');

/** The smallest thing that begins like an MP4. */
export function mp4(content = ''): Buffer {
	return Buffer.from(`\0\0\0\x10ftypisom\0\0\0\0${content}`, 'latin1');
}

type Generate = VideoModel['generate'];

/** What the tests turn and read. */
export interface Harness {
	readonly app: App;
	readonly clock: ManualClock;
	readonly blobs: BlobStore;
	/** Every call of the model so far. */
	readonly calls: { readonly request: VideoRequest; readonly run: VideoRun }[];
	/** Every token that the model was told to cancel. */
	readonly cancelled: string[];
	/** Replaces what the model does. */
	generate: Generate;
	/** A request of tenant `alice` unless `key` says otherwise. Keys are `tenant` or `tenant.scope+scope`. */
	send(method: string, path: string, options?: SendOptions): Promise<Response>;
	/** Creates a video and returns it as answered. */
	create(fields?: Record<string, unknown>): Promise<Video>;
	/** Creates a video and waits until it is completed or failed. */
	finish(fields?: Record<string, unknown>): Promise<Video>;
	/** Polls until the video has a status. */
	wait(id: string, ...status: Video['status'][]): Promise<Video>;
}

export interface SendOptions {
	readonly key?: string | null;
	readonly json?: unknown;
	readonly form?: FormData;
	readonly headers?: Record<string, string>;
}

/** Who may take over, and when. */
export interface Routing {
	/** Bounds of the model, and who stands in for it. */
	readonly binding?: Omit<ModelBindingOptions, 'use'>;
	/** Further models. */
	readonly others?: Readonly<Record<string, VideoModel>>;
}

/** Boots the plugin on memory backends with one fake model, `fake-1`, and stops it after the test. */
export async function harness(
	options: Parameters<typeof video>[0] = {},
	backends: AppConfig['backends'] & object = {},
	server: AppConfig['server'] & object = {},
	routing: Routing = {},
): Promise<Harness> {
	const clock = manualClock();
	const state: {
		generate: Generate;
		readonly calls: Harness['calls'];
		readonly cancelled: string[];
	} = {
		generate: async (_, { seed }) => ({ body: mp4(`seed ${seed}`), mediaType: 'video/mp4' }),
		calls: [],
		cancelled: [],
	};
	const model: VideoModel = {
		apiVersion: 1,
		generate(request, run) {
			state.calls.push({ request, run });
			return state.generate(request, run);
		},
		async cancel(token) {
			state.cancelled.push(token);
		},
	};
	const { binding, others = {} } = routing;
	const app = await createApp(
		{
			server: { drainDelayMs: 0, graceMs: 50, ...server },
			backends: {
				auth: fakeAuth(),
				images: fakeImages(),
				jobs: memoryJobs(),
				blobs: memoryBlobs(),
				events: memoryEvents(),
				...backends,
			},
			models: {
				'fake-1': { ...binding, use: modelOf(model), aliases: ['fake-alias'] },
				...Object.fromEntries(Object.entries(others).map(([id, other]) => [id, modelOf(other)])),
			},
			plugins: { events: events(), video: video(options) },
		},
		{ clock, log: silentLogger(), env: {} },
	);
	onTestFinished(() => app.stop());
	const tools = requests(app);
	return Object.assign(state, { app, clock, blobs: app.service(services.blobs), ...tools });
}

function modelOf(model: VideoModel) {
	return defineModel({
		kind: videoModels,
		name: 'fake.video',
		config: z.strictObject({}),
		create: () => model,
	})();
}

function requests(app: App): Pick<Harness, 'send' | 'create' | 'finish' | 'wait'> {
	const send: Harness['send'] = (method, path, { key = 'alice', json, form, headers } = {}) => {
		const body = form ?? (json === undefined ? undefined : JSON.stringify(json));
		return app.fetch(
			new Request(`http://localhost${path}`, {
				method,
				headers: {
					...(key === null ? {} : { 'x-api-key': key }),
					...(json === undefined ? {} : { 'content-type': 'application/json' }),
					...headers,
				},
				...(body === undefined ? {} : { body }),
			}),
		);
	};
	const create: Harness['create'] = async (fields) => {
		const json = { model: 'fake-1', prompt: 'a cat', ...fields };
		const response = await send('POST', '/v1/videos', { json });
		if (response.status !== 201) throw new Error(await response.text());
		return (await response.json()) as Video;
	};
	const wait: Harness['wait'] = async (id, ...status) => {
		let seen: Video | undefined;
		await eventually(`${id} is ${status.join(' or ')}`, async () => {
			seen = (await (await send('GET', `/v1/videos/${id}`)).json()) as Video;
			return status.includes(seen.status);
		});
		return seen as Video;
	};
	return {
		send,
		create,
		wait,
		finish: async (fields) => wait((await create(fields)).id, 'completed', 'failed'),
	};
}

/** Makes a multipart body; bytes become files with a misleading label. */
export function formOf(fields: Record<string, string | Uint8Array | string[]>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) {
		if (value instanceof Uint8Array)
			form.append(name, new Blob([new Uint8Array(value)]), 'input.bin');
		else for (const text of [value].flat()) form.append(name, text);
	}
	return form;
}

/** Status, code and param of an error answer, and that it has exactly the four keys of the wire. */
export async function errorOf(
	response: Response,
): Promise<{ status: number; code: unknown; param: unknown; message: string }> {
	const text = await response.text();
	const { error } = JSON.parse(text) as { error: Record<string, unknown> };
	const keys = Object.keys(error).sort().join();
	if (keys !== 'code,message,param,type') throw new Error(`not the wire's error object: ${text}`);
	return {
		status: response.status,
		code: error.code,
		param: error.param,
		message: String(error.message),
	};
}

/** A promise that is settled from outside. */
export function gate(): { readonly open: () => void; readonly passed: Promise<void> } {
	const { promise, resolve } = Promise.withResolvers<void>();
	return { open: () => resolve(), passed: promise };
}

const fakeAuth = defineBackend({
	name: 'fakeAuth',
	provides: services.authenticator,
	config: z.strictObject({}),
	create: (): Authenticator => ({
		async authenticate(key) {
			const [tenant = '', scopes = '*'] = key.split('.');
			return tenant === 'nobody' ? null : { id: key, tenant, scopes: scopes.split('+') };
		},
	}),
});

const fakeImages = defineBackend({
	name: 'fakeImages',
	provides: mediaServices.images,
	config: z.strictObject({}),
	create: (): ImageCodec => ({
		async probe(image) {
			const bytes = 'path' in image ? await readFile(image.path) : Buffer.from(image);
			const known: readonly (readonly [ImageFormat, Buffer])[] = [
				['png', png],
				['jpeg', jpeg],
				['webp', webp],
			];
			if (bytes.includes('HUGE')) throw mediaError('E_IMAGE_TOO_LARGE');
			const found = known.find(([, sample]) => bytes.subarray(0, 3).equals(sample.subarray(0, 3)));
			if (!found) throw mediaError('E_IMAGE_UNREADABLE');
			return { format: found[0], width: 64, height: 64, hasAlpha: false };
		},
		fit: () => Promise.reject(new Error('not used')),
		encode: () => Promise.reject(new Error('not used')),
		transcode: () => Promise.reject(new Error('not used')),
		composite: () => Promise.reject(new Error('not used')),
	}),
});
