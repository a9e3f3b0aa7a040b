import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Subject, silentLogger } from '@plinth/testing';
import type { ImageCodec, RawImage } from '@plinth/toolkit';
import type {
	ImageEditRequest,
	ImageInput,
	ImageModel,
	ImageRequest,
	ImageResult,
	ImageRun,
	ImageSize,
	Picture,
} from '../model.ts';
import { checkResult } from '../work/result.ts';

/** A new model, closed after the case. */
export interface ImageModelSubject extends Subject {
	readonly model: ImageModel;
}

/** How to create the model under test, and its promises beyond the contract. */
export interface ImageModelSuiteOptions {
	create(): Promise<ImageModelSubject>;
	/** Decodes the results of the model and encodes its inputs. */
	readonly images: ImageCodec;
	readonly supports?: {
		/** Whether it generates pictures; true by default. */
		readonly generate?: boolean;
		/** Whether it edits pictures; true by default. */
		readonly edit?: boolean;
		/** Whether equal seeds give equal pictures, and different seeds different ones. */
		readonly deterministic?: boolean;
		/** Whether transparent backgrounds have pixels with alpha 0. */
		readonly transparency?: boolean;
		/** Whether pixels outside the mask stay unchanged at high fidelity. */
		readonly mask?: boolean;
		/** Whether it emits partial images when they are requested. */
		readonly partials?: boolean;
	};
	/** The prompts, for models that understand only some. */
	readonly prompts?: { readonly generate?: string; readonly edit?: string };
}

/** The operations of a model. */
export type Operation = 'generate' | 'edit';

/** One call of the model under test. */
export interface Attempt {
	readonly result: Promise<ImageResult>;
	/** The partial images so far, with the index of their picture. */
	readonly emitted: readonly { readonly image: number; readonly picture: Picture }[];
	abort(): void;
}

/** The reason of aborts. */
export const reason = new Error('The client disconnected.');

/** Maximum milliseconds that a model may take to stop after an abort. */
export const abortGraceMs = 1_000;

/** Changes of a request; `undefined` removes a member. */
export type RequestChanges = {
	readonly [K in keyof ImageEditRequest]?: ImageEditRequest[K] | undefined;
};

/** Options of a call. */
export interface AttemptOptions {
	readonly request?: RequestChanges;
	readonly seed?: number;
	readonly partials?: number;
	readonly onPartial?: (attempt: Attempt) => void;
	/** Aborts before the model is called. */
	readonly isAborted?: boolean;
}

/** Calls models as the plugin does. */
export class Caller {
	readonly #options: ImageModelSuiteOptions;

	constructor(options: ImageModelSuiteOptions) {
		this.#options = options;
	}

	/** Calls the model, and checks the form of the result. */
	async attempt(model: ImageModel, operation: Operation, part: AttemptOptions = {}): Promise<Attempt> {
		const { seed = 7, partials = 0, onPartial, isAborted = false } = part;
		const request = await this.#request(model, operation, part.request);
		const stop = new AbortController();
		if (isAborted) stop.abort(reason);
		const emitted: { image: number; picture: Picture }[] = [];
		const run: ImageRun = {
			signal: stop.signal,
			seed,
			partials,
			partial(picture, image = 0) {
				emitted.push({ image, picture });
				onPartial?.(attempt);
			},
			log: silentLogger(),
		};
		const start = Promise.withResolvers<void>();
		const call = async () => {
			await start.promise;
			const result = operation === 'edit' ? await model.edit?.(request, run) : await model.generate?.(request, run);
			return checkResult('under test', result, request.count);
		};
		const attempt: Attempt = { result: call(), emitted, abort: () => stop.abort(reason) };
		attempt.result.catch(() => {});
		start.resolve();
		return attempt;
	}

	/** The pixels of the only picture of a call. */
	async picture(model: ImageModel, operation: Operation, part?: AttemptOptions): Promise<RawImage> {
		const { images } = await (await this.attempt(model, operation, part)).result;
		return this.pixels(images[0] ?? assert.fail('the model made no picture'));
	}

	/** The pixels of a picture. Rejects if it cannot be decoded. */
	async pixels(picture: Picture): Promise<RawImage> {
		if ('data' in picture) return picture;
		const { width, height } = await this.#options.images.probe(picture.body);
		return this.#options.images.fit(picture.body, { width, height, mode: 'fill' });
	}

	/** A PNG as a model receives it. Each read returns the same buffer, so that changes are detected. */
	async input(image: RawImage): Promise<ImageInput> {
		return inputOf(await this.#options.images.encode(image, { format: 'png', effort: 3 }), image);
	}

	async #request(model: ImageModel, operation: Operation, changes: RequestChanges = {}): Promise<ImageEditRequest> {
		const { generate = 'A red boat on a lake at dusk', edit = 'black and white' } = this.#options.prompts ?? {};
		const request: ImageRequest = {
			prompt: operation === 'edit' ? edit : generate,
			count: 1,
			size: sizeOf(model),
			quality: 'low',
			background: 'auto',
			format: 'png',
			compression: 100,
			moderation: 'auto',
		};
		const images = operation === 'edit' ? [await this.input(gradient)] : [];
		const fullRequest = { ...request, images, fidelity: 'high', ...changes };
		return Object.fromEntries(
			Object.entries(fullRequest).filter(([, value]) => value !== undefined),
		) as unknown as ImageEditRequest;
	}
}

/** A size that the model supports. */
export function sizeOf({ abilities }: ImageModel): ImageSize {
	return abilities?.sizes?.[0] ?? { width: 128, height: 96 };
}

/** A picture whose pixels are all different. */
export const gradient: RawImage = paint(96, 64, (x, y) => [x * 2, y * 3, (x + y) % 256, 255]);

/** Draws pixels by a function of the coordinates. */
export function paint(
	width: number,
	height: number,
	color: (x: number, y: number) => readonly [number, number, number, number],
): RawImage {
	const data = new Uint8Array(width * height * 4);
	for (let at = 0; at < width * height; at++) {
		data.set(color(at % width, Math.floor(at / width)), at * 4);
	}
	return { width, height, data };
}

/** A file as a model receives it. */
export function inputOf(bytes: Uint8Array, { width, height, data }: RawImage): ImageInput {
	return {
		mediaType: 'image/png',
		size: bytes.byteLength,
		width,
		height,
		hasAlpha: data.some((value, at) => at % 4 === 3 && value < 255),
		sha256: digest(bytes),
		source: bytes,
		bytes: async () => bytes,
	};
}

/** Lower-case hex SHA-256. */
export function digest(bytes: Uint8Array): string {
	return createHash('sha256').update(bytes).digest('hex');
}
