import {
	type App,
	type AppConfig,
	type Authenticator,
	type BlobStore,
	createApp,
	defineBackend,
	defineModel,
	type ModelBindingOptions,
	type RecordStore,
	services,
} from '@plinth/core';
import { memoryBlobs, memoryRecords } from '@plinth/memory';
import { type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import { mediaServices } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { image } from '../src/index.ts';
import {
	type ImageAbilities,
	type ImageEditRequest,
	type ImageModel,
	type ImageRequest,
	type ImageResult,
	type ImageRun,
	imageModels,
} from '../src/model.ts';
import { type Decoded, decode, type FakeCodec, fakeCodec, pixels } from './pictures.ts';

type Generate = NonNullable<ImageModel['generate']>;
type Edit = NonNullable<ImageModel['edit']>;

/** What a test decides. */
export interface HarnessOptions {
	readonly options?: Parameters<typeof image>[0];
	readonly abilities?: ImageAbilities;
	/** Operations that the model lacks. */
	readonly lacks?: readonly ('generate' | 'edit')[];
	/** Whether an upstream of the model can be given a generation as it came. */
	readonly forward?: ImageModel['forward'];
	/** Bounds of the model, and who stands in for it. */
	readonly binding?: Omit<ModelBindingOptions, 'use'>;
	/** Further models. */
	readonly others?: Readonly<Record<string, ImageModel>>;
	/** Further ones. */
	readonly backends?: AppConfig['backends'] & object;
	/** Wraps the store of pictures. */
	readonly blobs?: (store: BlobStore) => BlobStore;
}

/** What the tests turn and read. */
export interface Harness {
	readonly app: App;
	readonly clock: ManualClock;
	readonly codec: FakeCodec;
	readonly blobs: BlobStore;
	readonly records: RecordStore;
	/** Every call of the model so far. */
	readonly calls: { readonly request: ImageRequest; readonly run: ImageRun }[];
	/** Every edit so far. */
	readonly edits: { readonly request: ImageEditRequest; readonly run: ImageRun }[];
	/** Replaces what the model does. */
	generate: Generate;
	edit: Edit;
	generations(fields?: Record<string, unknown>, init?: RequestInit): Promise<Response>;
	/** JSON, or a form. */
	editing(body: Record<string, unknown> | FormData, init?: RequestInit): Promise<Response>;
	get(url: string, headers?: Record<string, string>): Promise<Response>;
}

/** Boots the plugin on memory backends with one fake model, `fake-1`, and stops it after the test. */
export async function harness(decided: HarnessOptions = {}): Promise<Harness> {
	const clock = manualClock();
	const codec = fakeCodec();
	const paint = async (request: ImageRequest, { seed }: ImageRun): Promise<ImageResult> => ({
		images: Array.from({ length: request.count }, (_, index) => solid(request, seed + index)),
	});
	const state = {
		generate: paint as Generate,
		edit: paint as Edit,
		calls: [] as Harness['calls'],
		edits: [] as Harness['edits'],
	};
	const { abilities, lacks = [], forward, binding, others = {} } = decided;
	const model: ImageModel = {
		apiVersion: 1,
		...(abilities ? { abilities } : {}),
		...(forward ? { forward } : {}),
		...(lacks.includes('generate')
			? {}
			: {
					generate(request: ImageRequest, run: ImageRun) {
						state.calls.push({ request, run });
						return state.generate(request, run);
					},
				}),
		...(lacks.includes('edit')
			? {}
			: {
					edit(request: ImageEditRequest, run: ImageRun) {
						state.edits.push({ request, run });
						return state.edit(request, run);
					},
				}),
	};
	const app = await createApp(
		{
			server: { drainDelayMs: 0, graceMs: 50, publicUrl: 'http://pictures.test' },
			backends: {
				auth: fakeAuth(),
				images: provide(mediaServices.images, codec),
				blobs: decided.blobs ? wrapped(decided.blobs) : memoryBlobs(),
				records: memoryRecords(),
				...decided.backends,
			},
			models: {
				'fake-1': { ...binding, use: fakeModel(model), aliases: ['fake-alias'] },
				...Object.fromEntries(Object.entries(others).map(([id, other]) => [id, fakeModel(other)])),
			},
			plugins: { image: image(decided.options) },
		},
		{ clock, log: silentLogger(), env: {} },
	);
	onTestFinished(() => app.stop());
	const found = { blobs: app.service(services.blobs), records: app.service(services.records) };
	return Object.assign(state, { app, clock, codec, ...found, ...requests(app) });
}

function requests(app: App): Pick<Harness, 'generations' | 'editing' | 'get'> {
	const post = (path: string, body: Record<string, unknown> | FormData, init?: RequestInit) => {
		const isForm = body instanceof FormData;
		const type = { 'content-type': 'application/json' };
		const text = isForm ? '' : JSON.stringify(body);
		// Only bodies of known length pass through.
		const length = { 'content-length': `${Buffer.byteLength(text)}` };
		return app.fetch(
			new Request(`http://localhost${path}`, {
				method: 'POST',
				headers: { 'x-api-key': 'images', ...(isForm ? {} : { ...type, ...length }) },
				body: isForm ? body : text,
				...init,
			}),
		);
	};
	return {
		generations: (fields, init) =>
			post('/v1/images/generations', { model: 'fake-1', prompt: 'a cat', ...fields }, init),
		editing(body, init) {
			if (body instanceof FormData) return post('/v1/images/edits', body, init);
			return post('/v1/images/edits', { model: 'fake-1', prompt: 'a dog', ...body }, init);
		},
		get: (url, headers = {}) => app.fetch(new Request(url, { headers })),
	};
}

/** Pixels whose colour tells the seed, of the size that was asked for. */
export function solid({ size }: Pick<ImageRequest, 'size'>, seed: number) {
	const { width, height } = size ?? { width: 64, height: 48 };
	return pixels(width, height, [seed & 255, (seed >> 8) & 255, 7, 255]);
}

/** One entry of an answer or an event. */
export interface Item {
	readonly b64_json?: string;
	readonly url?: string;
	readonly revised_prompt?: string;
}

/** A plain answer. */
export interface Answer {
	readonly created: number;
	readonly data: readonly Item[];
	readonly usage: Readonly<Record<string, unknown>>;
	readonly warnings?: readonly string[];
	readonly [key: string]: unknown;
}

/** The body of a good answer. */
export async function answerOf(response: Response): Promise<Answer> {
	const text = await response.text();
	if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
	return JSON.parse(text) as Answer;
}

/** The picture in an entry. */
export function pictureIn(item: Item | undefined): Decoded {
	return decode(Buffer.from(item?.b64_json ?? '', 'base64'));
}

/** The pictures of a good answer. */
export async function picturesOf(response: Response): Promise<Decoded[]> {
	return (await answerOf(response)).data.map(pictureIn);
}

/** A multipart body with the fields that every edit needs. Values are appended in order; bytes become files with a misleading label. */
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

/** A data URL with a misleading media type. */
export function dataUrl(bytes: Uint8Array): string {
	return `data:image/gif;base64,${Buffer.from(bytes).toString('base64')}`;
}

/** Status, type, code and param of an error answer, and that it has exactly the four keys of the wire. */
export async function errorOf(response: Response) {
	const text = await response.text();
	const { error } = JSON.parse(text) as { error?: Record<string, unknown> };
	const keys = Object.keys(error ?? {}).sort();
	if (keys.join() !== 'code,message,param,type') throw new Error(`no error object: ${text}`);
	const { type, code, param, message } = error ?? {};
	return { status: response.status, type, code, param, message: String(message) };
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
			return key === 'nobody' ? null : { id: key, tenant: 'alice', scopes: [key] };
		},
	}),
});

function provide(provides: typeof mediaServices.images, codec: FakeCodec) {
	const config = z.strictObject({});
	return defineBackend({ name: 'fakeImages', provides, config, create: () => codec })();
}

function wrapped(wrap: (store: BlobStore) => BlobStore) {
	const { definition } = memoryBlobs();
	return defineBackend({
		name: 'wrappedBlobs',
		provides: services.blobs,
		config: z.strictObject({}),
		create: async (context) => wrap((await definition.create(context as never)) as BlobStore),
	})();
}

function fakeModel(model: ImageModel) {
	const config = z.strictObject({});
	return defineModel({ kind: imageModels, name: 'fake.image', config, create: () => model })();
}
