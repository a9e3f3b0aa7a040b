import { isPlinthError, type Logger, orAbort, plinthError } from '@plinth/core';
import { type ImageCodec, Semaphore } from '@plinth/toolkit';
import type { ImageAbilities, ImageModel, ImageResult, ImageRun, Picture } from '../model.ts';
import type { EditRequest, GenerationRequest } from '../request/model-request.ts';
import { nextSeed } from '../request/seed.ts';
import { formatSize, isEqual } from '../request/sizes.ts';
import type { UsageCounter } from '../response/usage.ts';
import { type FinishedPicture, type FinishOptions, finishPicture } from './finish.ts';
import { PartialQueue } from './partial-queue.ts';
import { checkResult } from './result.ts';

/** One request to a model. */
export interface ImageTask {
	readonly id: string;
	readonly model: ImageModel;
	/** An edit has `images`. */
	readonly request: GenerationRequest | EditRequest;
	readonly finish: FinishOptions;
	/** Number of pictures. */
	readonly count: number;
	/** Seed of the first picture. */
	readonly seed: number;
	/** Maximum number of partial images per picture. */
	readonly partials: number;
}

/** Dependencies of the generation. */
export interface ImageTools {
	readonly images: ImageCodec;
	/** Maximum concurrent model calls. */
	readonly concurrency: number;
	readonly log: Logger;
}

/** A finished picture with its metadata. */
export interface MadePicture extends FinishedPicture {
	/** Index among the pictures of the request. */
	readonly index: number;
	/** The requested quality, or what the model chose for `auto`; undefined when unknown. */
	readonly quality: 'low' | 'medium' | 'high' | undefined;
	readonly revisedPrompt: string | undefined;
	/** Whether the model reported the usage of the call. */
	readonly isReported: boolean;
	/** Without duplicates. */
	readonly warnings: readonly string[];
}

/** Receives pictures while they are generated. */
export interface PictureListener {
	readonly usage: UsageCounter;
	/** Called for each finished picture, in order within a call. */
	onPicture(picture: MadePicture): Promise<void> | void;
	/** False when the reader is behind: partial images are then omitted. */
	readonly acceptsPartials: boolean;
	/** Called with the partial image number `state` of the picture `index`, both from 0. */
	onPartial(picture: FinishedPicture, index: number, state: number): void;
	/** Called at the end of each model call. */
	onResult(result: ImageResult): void;
}

/**
 * Generates the pictures of a request in as many calls as the model needs. Settles as soon as the signal
 * aborts or a call fails: it aborts all other calls and does not wait for models that ignore their signal.
 * Errors without a code become `E_MODEL_FAILED`.
 */
export async function makePictures(
	task: ImageTask,
	listener: PictureListener,
	tools: ImageTools,
	signal: AbortSignal,
): Promise<void> {
	const failure = new AbortController();
	const combined = AbortSignal.any([signal, failure.signal]);
	const slots = new Semaphore(tools.concurrency);
	const work = async (batch: Batch) => {
		try {
			await makeBatch({ task, listener, tools, signal: combined }, batch);
		} catch (error) {
			// The abort precedes the release of the slot, so that the next call does not start.
			failure.abort(error);
			throw error;
		}
	};
	const calls = batchesOf(task.count, task.model.abilities);
	await Promise.all(calls.map((batch) => slots.run(() => work(batch), combined)));
}

/** A range of pictures that one call generates. */
interface Batch {
	readonly first: number;
	readonly count: number;
}

/** Splits the pictures into calls. An invalid `count` of the model means one picture per call. */
function batchesOf(count: number, { count: max = 1 }: ImageAbilities = {}): Batch[] {
	const size = Number.isInteger(max) && max > 0 ? max : 1;
	return Array.from({ length: Math.ceil(count / size) }, (_, index) => ({
		first: index * size,
		count: Math.min(size, count - index * size),
	}));
}

/** Context of one call. */
interface BatchContext {
	readonly task: ImageTask;
	readonly listener: PictureListener;
	readonly tools: ImageTools;
	readonly signal: AbortSignal;
}

async function makeBatch(context: BatchContext, { first, count }: Batch): Promise<void> {
	const { task, listener, signal } = context;
	const partialQueues = createPartialQueues(context, { first, count });
	try {
		const request = { ...task.request, count };
		const response = await callModel(task.model, request, runOf(context, first, partialQueues));
		const result = checkResult(task.id, response, count);
		for (const queue of partialQueues) queue.closeInput();
		listener.usage.addCall(result.usage);
		listener.onResult(result);
		const finishing = result.images.map((image) => finish(context, image, signal));
		// Awaited in order below; this avoids an unhandled rejection until then.
		for (const work of finishing) work.catch(() => {});
		for (const [index, work] of finishing.entries()) {
			const finished = await work;
			signal.throwIfAborted();
			partialQueues[index]?.close(finished);
			await listener.onPicture(toMadePicture(task, first + index, finished, result, index));
		}
	} finally {
		for (const queue of partialQueues) queue.stop();
	}
}

/** One queue for each picture of a call. */
function createPartialQueues(context: BatchContext, { first, count }: Batch): PartialQueue[] {
	const { task, listener, tools, signal } = context;
	return Array.from(
		{ length: count },
		(_, image) =>
			new PartialQueue({
				limit: task.partials,
				log: tools.log,
				acceptsMore: () => listener.acceptsPartials,
				encode: (picture, queueSignal) => finish(context, picture, AbortSignal.any([signal, queueSignal])),
				show: (picture, state) => listener.onPartial(picture, first + image, state),
			}),
	);
}

function runOf({ task, tools, signal }: BatchContext, first: number, partialQueues: PartialQueue[]): ImageRun {
	return {
		signal,
		seed: nextSeed(task.seed, first),
		partials: task.partials,
		partial: (picture, image = 0) => {
			if (!signal.aborted) partialQueues[image]?.add(picture);
		},
		log: tools.log,
	};
}

function finish({ task, tools }: BatchContext, picture: Picture, signal: AbortSignal) {
	return finishPicture(picture, task.finish, tools.images, signal);
}

async function callModel(
	model: ImageModel,
	request: (GenerationRequest | EditRequest) & { readonly count: number },
	run: ImageRun,
): Promise<ImageResult | undefined> {
	// An async function: a synchronous throw of the model becomes a rejection.
	const call = async () => ('images' in request ? model.edit?.(request, run) : model.generate?.(request, run));
	try {
		return await orAbort(run.signal, call());
	} catch (cause) {
		if (run.signal.aborted) throw run.signal.reason;
		throw isPlinthError(cause) ? cause : plinthError('E_MODEL_FAILED', { cause });
	}
}

function toMadePicture(
	{ request, finish }: ImageTask,
	pictureIndex: number,
	finished: FinishedPicture,
	result: ImageResult,
	index: number,
): MadePicture {
	const warnings = new Set(result.warnings);
	const { size, background } = finish;
	if (background === 'transparent' && !finished.isTransparent) {
		warnings.add('The model made no transparent background.');
	}
	if (size && !isEqual(size, finished)) {
		warnings.add(`The model made ${formatSize(finished)} pixels in place of ${formatSize(size)}.`);
	}
	return {
		...finished,
		index: pictureIndex,
		quality: result.quality ?? (request.quality === 'auto' ? undefined : request.quality),
		revisedPrompt: result.images[index]?.revisedPrompt,
		isReported: result.usage !== undefined,
		warnings: [...warnings],
	};
}
