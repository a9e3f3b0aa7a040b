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

/** A fresh model. */
export interface ImageModelSubject extends Subject {
	readonly model: ImageModel;
}

/** What is under test, and what it promises beyond the contract. */
export interface ImageModelSuiteOptions {
	create(): Promise<ImageModelSubject>;
	/** Reads what the model makes, and makes the pictures that it is shown. */
	readonly images: ImageCodec;
	readonly supports?: {
		/** It makes pictures from words; true unless said otherwise. */
		readonly generate?: boolean;
		/** It changes pictures; true unless said otherwise. */
		readonly edit?: boolean;
		/** Equal seeds make equal pictures. */
		readonly deterministic?: boolean;
		/** Transparent backgrounds are really transparent. Unless set, checked where the abilities say `true`. */
		readonly transparency?: boolean;
		/** What a mask protects stays byte for byte at high fidelity. */
		readonly mask?: boolean;
		/** Unfinished states are shown where they are asked for. */
		readonly partials?: boolean;
	};
	/** What is asked for, where a model does not understand any prompt. */
	readonly prompts?: { readonly generate?: string; readonly edit?: string };
}

/** What a model can be asked to do. */
export type Operation = 'generate' | 'edit';

/** One call of the model under test. */
export interface Attempt {
	readonly result: Promise<ImageResult>;
	/** What it has shown so far: which picture, and what of it. */
	readonly shown: readonly { readonly image: number; readonly picture: Picture }[];
	abort(): void;
}

/** Why attempts are aborted. */
export const reason = new Error('The client has disconnected.');

/** How long a model may take to stop after an abort, in milliseconds. */
export const abortGraceMs = 1_000;

/** What a case changes about a request; `undefined` leaves a member out. */
export type RequestChanges = {
	readonly [K in keyof ImageEditRequest]?: ImageEditRequest[K] | undefined;
};

/** What a case may change about a call. */
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

	/** Calls the model; the result is checked for its form. */
	async attempt(model: ImageModel, operation: Operation, part: AttemptOptions = {}): Promise<Attempt> {
		const { seed = 7, partials = 0, onPartial, isAborted = false } = part;
		const request = await this.#request(model, operation, part.request);
		const stop = new AbortController();
		if (isAborted) stop.abort(reason);
		const shown: { image: number; picture: Picture }[] = [];
		const run: ImageRun = {
			signal: stop.signal,
			seed,
			partials,
			partial(picture, image = 0) {
				shown.push({ image, picture });
				onPartial?.(attempt);
			},
			log: silentLogger(),
		};
		const begin = Promise.withResolvers<void>();
		const call = async () => {
			await begin.promise;
			const result = operation === 'edit' ? await model.edit?.(request, run) : await model.generate?.(request, run);
			return checkResult('under test', result, request.count);
		};
		const attempt: Attempt = { result: call(), shown, abort: () => stop.abort(reason) };
		attempt.result.catch(() => {});
		begin.resolve();
		return attempt;
	}

	/** The only picture of a call, as pixels. */
	async picture(model: ImageModel, operation: Operation, part?: AttemptOptions): Promise<RawImage> {
		const { images } = await (await this.attempt(model, operation, part)).result;
		return this.pixels(images[0] ?? assert.fail('the model made no picture'));
	}

	/** The pixels of a picture. Rejects where they cannot be decoded. */
	async pixels(picture: Picture): Promise<RawImage> {
		if ('data' in picture) return picture;
		const { width, height } = await this.#options.images.probe(picture.body);
		return this.#options.images.fit(picture.body, { width, height, mode: 'fill' });
	}

	/** A PNG as a model gets it. Its bytes are the same memory at every look, so that changes show. */
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
		const whole = { ...request, images, fidelity: 'high', ...changes };
		return Object.fromEntries(
			Object.entries(whole).filter(([, value]) => value !== undefined),
		) as unknown as ImageEditRequest;
	}
}

/** A size that the model makes. */
export function sizeOf({ abilities }: ImageModel): ImageSize {
	return abilities?.sizes?.[0] ?? { width: 128, height: 96 };
}

/** A picture in which every pixel is another one. */
export const gradient: RawImage = paint(96, 64, (x, y) => [x * 2, y * 3, (x + y) % 256, 255]);

/** Pixels from a formula. */
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

/** A file as a model gets it. */
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
