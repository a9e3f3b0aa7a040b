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
import { storedAs } from './encoding.ts';
import { encode, type RefusalCode } from './failures.ts';
import { beginningOf } from './input.ts';
import { isHeavy, isLarge, openPicture, perform } from './picture.ts';
import { assertSize, fromPixels, lay, rawFrom, resizing } from './pixels.ts';
import type { AnswerTo, Task } from './tasks.ts';
import type { WorkerPool } from './worker/pool.ts';

/**
 * `ImageCodec` on sharp. Everything that is read ends as 8-bit sRGB, turned upright and without metadata. At most `concurrency` images
 * are worked on here at the same time; encoded ones that are heavy go to the workers, and wait for them without taking a place here.
 */
export class SharpCodec implements ImageCodec {
	readonly #places: Semaphore;
	readonly #workers: WorkerPool;

	constructor(concurrency: number, workers: WorkerPool) {
		this.#places = new Semaphore(concurrency);
		this.#workers = workers;
	}

	probe(image: EncodedImage, signal?: AbortSignal): Promise<ImageInfo> {
		return this.#decode(image, { kind: 'probe' }, signal);
	}

	async fit(
		image: EncodedImage | RawImage,
		options: FitOptions,
		signal?: AbortSignal,
	): Promise<RawImage> {
		assertSize(options.width, options.height);
		if (!('data' in image)) return this.#decode(image, { kind: 'fit', options }, signal);
		return this.#places.run(() => rawFrom(resizing(fromPixels(image), options)), signal);
	}

	async encode(image: RawImage, options: EncodeOptions, signal?: AbortSignal): Promise<Uint8Array> {
		const pixels = fromPixels(image);
		return coded(() =>
			this.#places.run(() => encode(() => storedAs(pixels, options).toBuffer()), signal),
		);
	}

	async transcode(
		image: EncodedImage,
		options: TranscodeOptions,
		signal?: AbortSignal,
	): Promise<TranscodedImage> {
		if (options.fit) assertSize(options.fit.width, options.fit.height);
		return this.#decode(image, { kind: 'transcode', options }, signal);
	}

	composite(
		base: RawImage,
		layers: readonly ImageLayer[],
		signal?: AbortSignal,
	): Promise<RawImage> {
		return this.#places.run(() => lay(base, layers), signal);
	}

	#decode<T extends Task>(image: EncodedImage, task: T, signal?: AbortSignal) {
		return coded(async () => {
			const answer = await this.#places.run(() => unlessHeavy(image, task), signal);
			return answer ?? (await this.#workers.run(image, task, signal));
		});
	}
}

/** Looks at the picture, and does the task unless it is heavy. */
async function unlessHeavy<T extends Task>(
	image: EncodedImage,
	task: T,
): Promise<AnswerTo<T> | undefined> {
	const beginning = await beginningOf(image);
	// Of other files the header is found without reading all of them.
	if (isLarge(beginning) && beginning.format === 'png' && 'path' in image) return undefined;
	const picture = await openPicture(image, beginning);
	return isHeavy(picture) ? undefined : perform(picture, task);
}

/** A refusal, whichever process it comes from, is an error of the kernel's table. */
async function coded<T>(work: () => Promise<T>): Promise<T> {
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
