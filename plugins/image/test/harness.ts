import type { AppConfig, BlobStore, ModelBindingOptions, RecordStore } from '@plinth/core';
import { services } from '@plinth/core';
import { memoryBlobs, memoryRecords } from '@plinth/memory';
import {
	createBackend,
	fakeBackend,
	fakeModels,
	jsonOf,
	manualClock,
	type RecordedCall,
	type RequestOptions,
	scriptedModel,
	type TestApp,
	testApp,
} from '@plinth/testing';
import { mediaServices } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { image } from '../src/index.ts';
import { type ImageAbilities, type ImageModel, type ImageRequest, imageModels } from '../src/model.ts';
import { type Decoded, decode, type FakeCodec, fakeCodec, pixels } from './pictures.ts';

/** Options of a test. */
export interface HarnessOptions {
	readonly options?: Parameters<typeof image>[0];
	readonly abilities?: ImageAbilities;
	/** Operations that the model lacks. */
	readonly lacks?: readonly ('generate' | 'edit')[];
	/** Lets generations pass through to an upstream. */
	readonly forward?: ImageModel['forward'];
	/** Limits of the model, and its fallbacks. */
	readonly binding?: Omit<ModelBindingOptions, 'use'>;
	/** Further models. */
	readonly others?: Readonly<Record<string, ImageModel>>;
	/** Further backends. */
	readonly backends?: AppConfig['backends'] & object;
	/** Wraps the blob store. */
	readonly blobs?: (store: BlobStore) => BlobStore;
}

/** The running app and records of what it did. */
export interface Harness extends TestApp {
	readonly codec: FakeCodec;
	readonly blobs: BlobStore;
	readonly records: RecordStore;
	/** The behaviour of the model. */
	readonly model: { [K in 'generate' | 'edit']: NonNullable<ImageModel[K]> };
	/** All generations. */
	readonly calls: readonly RecordedCall<ImageModel['generate']>[];
	/** All edits. */
	readonly edits: readonly RecordedCall<ImageModel['edit']>[];
	generations(fields?: Record<string, unknown>, options?: RequestOptions): Promise<Response>;
	/** Posts JSON or a form. */
	editing(body: Record<string, unknown> | FormData): Promise<Response>;
}

/** Starts an app on memory backends with one fake model, `fake-1`, and stops it after the test. */
export async function harness(decided: HarnessOptions = {}): Promise<Harness> {
	const { abilities, lacks = [], forward, binding, others = {}, blobs: wrap = (store) => store } = decided;
	const clock = manualClock();
	const codec = fakeCodec();
	const paint: ImageModel['generate'] = async (request, { seed }) => ({
		images: Array.from({ length: request.count }, (_, index) => solid(request, seed + index)),
	});
	const model = scriptedModel(imageModels, {
		apiVersion: 1,
		...(abilities ? { abilities } : {}),
		...(forward ? { forward } : {}),
		...(lacks.includes('generate') ? {} : { generate: paint }),
		...(lacks.includes('edit') ? {} : { edit: paint }),
	});
	const { provided } = await createBackend<BlobStore>(memoryBlobs(), { clock });
	const blobs = wrap(provided);
	const running = await testApp({
		key: 'alice.images',
		clock,
		server: { publicUrl: 'http://pictures.test' },
		backends: {
			images: fakeBackend(mediaServices.images, codec),
			blobs: fakeBackend(services.blobs, blobs),
			records: memoryRecords(),
			...decided.backends,
		},
		models: {
			'fake-1': { ...binding, use: model.use, aliases: ['fake-alias'] },
			...fakeModels(imageModels, others),
		},
		plugins: { image: image(decided.options) },
		onTestFinished,
	});
	return {
		...running,
		codec,
		blobs,
		records: running.app.service(services.records),
		model: model.script as Harness['model'],
		calls: model.callsOf('generate'),
		edits: model.callsOf('edit'),
		generations: (fields, options) =>
			running.post('/v1/images/generations', { model: 'fake-1', prompt: 'a cat', ...fields }, options),
		editing(body) {
			if (body instanceof FormData) return running.form('/v1/images/edits', body);
			return running.post('/v1/images/edits', { model: 'fake-1', prompt: 'a dog', ...body });
		},
	};
}

/** Pixels of the requested size, whose colour depends on the seed. */
export function solid({ size }: Pick<ImageRequest, 'size'>, seed: number) {
	const { width, height } = size ?? { width: 64, height: 48 };
	return pixels(width, height, [seed & 255, (seed >> 8) & 255, 7, 255]);
}

/** One picture of a response or an event. */
export interface Item {
	readonly b64_json?: string;
	readonly url?: string;
	readonly revised_prompt?: string;
}

/** A response that is not streamed. */
export interface Answer {
	readonly created: number;
	readonly data: readonly Item[];
	readonly usage: Readonly<Record<string, unknown>>;
	readonly warnings?: readonly string[];
	readonly [key: string]: unknown;
}

/** The body of a successful response. */
export function answerOf(response: Response): Promise<Answer> {
	return jsonOf<Answer>(response);
}

/** The picture in an item. */
export function pictureIn(item: Item | undefined): Decoded {
	return decode(Buffer.from(item?.b64_json ?? '', 'base64'));
}

/** The pictures of a successful response. */
export async function picturesOf(response: Response): Promise<Decoded[]> {
	return (await answerOf(response)).data.map(pictureIn);
}

/**
 * A form with the required fields of an edit. Values are appended in order; bytes become files with a wrong media type.
 */
export function formOf(...entries: readonly (readonly [string, string | Uint8Array])[]): FormData {
	const form = new FormData();
	for (const [name, value] of entries) append(form, name, value);
	for (const [name, value] of [
		['model', 'fake-1'],
		['prompt', 'a dog'],
	] as const) {
		if (!form.has(name)) form.append(name, value);
	}
	return form;
}

function append(form: FormData, name: string, value: string | Uint8Array): void {
	if (typeof value === 'string') form.append(name, value);
	else form.append(name, new Blob([new Uint8Array(value)], { type: 'text/html' }), 'input.bin');
}

/** A data URL with a wrong media type. */
export function dataUrl(bytes: Uint8Array): string {
	return `data:image/gif;base64,${Buffer.from(bytes).toString('base64')}`;
}
