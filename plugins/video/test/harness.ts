import { readFile } from 'node:fs/promises';
import { type AppConfig, type BlobStore, type ModelBindingOptions, services } from '@plinth/core';
import { memoryBlobs, memoryEvents, memoryJobs } from '@plinth/memory';
import { events } from '@plinth/plugin-events';
import {
	eventually,
	fakeBackend,
	fakeModels,
	jsonOf,
	type RecordedCall,
	scriptedModel,
	type TestApp,
	testApp,
} from '@plinth/testing';
import { type ImageCodec, type ImageFormat, mediaError, mediaServices } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { video } from '../src/index.ts';
import { type VideoModel, videoModels } from '../src/model.ts';
import type { Video } from '../src/wire.ts';

/** Pictures that the fake codec recognises by their first bytes. */
export const png = Buffer.from('\x89PNG\r\n\x1a\n a small picture', 'latin1');
export const jpeg = Buffer.from('\xff\xd8\xff\xe0 a small picture', 'latin1');
export const webp = Buffer.from('RIFF\0\0\0\0WEBP a small picture', 'latin1');
/** A picture that the fake codec reports with more than 50 megapixels. */
export const hugePng = Buffer.from('\x89PNG\r\n\x1a\n HUGE', 'latin1');

/** The smallest data with the header of an MP4. */
export function mp4(content = ''): Buffer {
	return Buffer.from(`\0\0\0\x10ftypisom\0\0\0\0${content}`, 'latin1');
}

/** The running app and records of what it did. */
export interface Harness extends TestApp {
	readonly blobs: BlobStore;
	/** The behaviour of the model. */
	readonly model: { generate: VideoModel['generate'] };
	/** All calls of the model. */
	readonly calls: readonly RecordedCall<VideoModel['generate']>[];
	/** All tokens that the model had to cancel. */
	cancelled(): readonly string[];
	/** Creates a video and returns the body of the response. */
	create(fields?: Record<string, unknown>): Promise<Video>;
	/** Creates a video and waits until it is completed or failed. */
	finish(fields?: Record<string, unknown>): Promise<Video>;
	/** Polls until the video has a status. */
	wait(id: string, ...status: Video['status'][]): Promise<Video>;
}

/** The models and their bindings. */
export interface Routing {
	/** Limits of the model, and its fallbacks. */
	readonly binding?: Omit<ModelBindingOptions, 'use'>;
	/** Further models. */
	readonly others?: Readonly<Record<string, VideoModel>>;
}

/** Starts an app on memory backends with one fake model, `fake-1`, and stops it after the test. */
export async function harness(
	options: Parameters<typeof video>[0] = {},
	backends: AppConfig['backends'] & object = {},
	server: AppConfig['server'] & object = {},
	{ binding, others = {} }: Routing = {},
): Promise<Harness> {
	const model = scriptedModel(videoModels, {
		apiVersion: 1,
		generate: async (_, { seed }) => ({ body: mp4(`seed ${seed}`), mediaType: 'video/mp4' }),
		cancel: async () => {},
	});
	const running = await testApp({
		server,
		backends: {
			images: fakeBackend(mediaServices.images, fakeImages),
			jobs: memoryJobs(),
			blobs: memoryBlobs(),
			events: memoryEvents(),
			...backends,
		},
		models: {
			'fake-1': { ...binding, use: model.use, aliases: ['fake-alias'] },
			...fakeModels(videoModels, others),
		},
		plugins: { events: events(), video: video(options) },
		onTestFinished,
	});
	const create: Harness['create'] = async (fields) => {
		const json = { model: 'fake-1', prompt: 'a cat', ...fields };
		return jsonOf<Video>(await running.post('/v1/videos', json), 201);
	};
	const wait: Harness['wait'] = async (id, ...status) => {
		let seen: Video | undefined;
		await eventually(`${id} is ${status.join(' or ')}`, async () => {
			seen = (await (await running.get(`/v1/videos/${id}`)).json()) as Video;
			return status.includes(seen.status);
		});
		return seen as Video;
	};
	return {
		...running,
		blobs: running.app.service(services.blobs),
		model: model.script,
		calls: model.callsOf('generate'),
		cancelled: () => model.callsOf('cancel').map(({ request: token }) => token),
		create,
		wait,
		finish: async (fields) => wait((await create(fields)).id, 'completed', 'failed'),
	};
}

const fakeImages: ImageCodec = {
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
};
