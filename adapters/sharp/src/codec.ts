import {
	type EncodedImage,
	type EncodeOptions,
	type FitOptions,
	type ImageCodec,
	type ImageInfo,
	type ImageLayer,
	mediaError,
	type RawImage,
	Semaphore,
	type TranscodedImage,
	type TranscodeOptions,
} from '@plinth/toolkit';
import { Refusal } from '@plinth/toolkit/processes/child';
import { encodeAs } from './encoding.ts';
import { encode, type RefusalCode } from './failures.ts';
import { readImageHead } from './input.ts';
import { isHeavy, isLarge, openPicture, runTask } from './picture.ts';
import { assertSize, compositeLayers, fromPixels, rawFrom, resized } from './pixels.ts';
import type { Task, TaskResult } from './tasks.ts';
import type { WorkerPool } from './worker/pool.ts';

/**
 * `ImageCodec` on sharp. Decoded pictures are 8-bit sRGB, upright and without metadata. At most `concurrency` images
 * are processed here at a time. Encoded ones that need much memory go to the workers without taking a slot here.
 */
export class SharpCodec implements ImageCodec {
	readonly #slots: Semaphore;
	readonly #workers: WorkerPool;

	constructor(concurrency: number, workers: WorkerPool) {
		this.#slots = new Semaphore(concurrency);
		this.#workers = workers;
	}

	probe(image: EncodedImage, signal?: AbortSignal): Promise<ImageInfo> {
		return this.#decode(image, { kind: 'probe' }, signal);
	}

	async fit(image: EncodedImage | RawImage, options: FitOptions, signal?: AbortSignal): Promise<RawImage> {
		assertSize(options.width, options.height);
		if (!('data' in image)) return this.#decode(image, { kind: 'fit', options }, signal);
		return this.#slots.run(() => rawFrom(resized(fromPixels(image), options)), signal);
	}

	async encode(image: RawImage, options: EncodeOptions, signal?: AbortSignal): Promise<Uint8Array> {
		const pixels = fromPixels(image);
		return withMediaErrors(() => this.#slots.run(() => encode(() => encodeAs(pixels, options).toBuffer()), signal));
	}

	async transcode(image: EncodedImage, options: TranscodeOptions, signal?: AbortSignal): Promise<TranscodedImage> {
		if (options.fit) assertSize(options.fit.width, options.fit.height);
		return this.#decode(image, { kind: 'transcode', options }, signal);
	}

	composite(base: RawImage, layers: readonly ImageLayer[], signal?: AbortSignal): Promise<RawImage> {
		return this.#slots.run(() => compositeLayers(base, layers), signal);
	}

	#decode<T extends Task>(image: EncodedImage, task: T, signal?: AbortSignal) {
		return withMediaErrors(async () => {
			const result = await this.#slots.run(() => decodeIfLight(image, task), signal);
			return result ?? (await this.#workers.run(image, task, signal));
		});
	}
}

/** Runs the task unless the picture needs a worker; then returns undefined. */
async function decodeIfLight<T extends Task>(image: EncodedImage, task: T): Promise<TaskResult<T> | undefined> {
	const imageHead = await readImageHead(image);
	// Headers of other formats are found without reading the whole file.
	if (isLarge(imageHead) && imageHead.format === 'png' && 'path' in image) return undefined;
	const picture = await openPicture(image, imageHead);
	return isHeavy(picture) ? undefined : runTask(picture, task);
}

/** Converts refusals of either process to coded errors. */
async function withMediaErrors<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		const { code, sentence, cause } = error;
		throw mediaError(code as RefusalCode, {
			cause,
			...(sentence === undefined ? {} : { message: sentence }),
		});
	}
}
