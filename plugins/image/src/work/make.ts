import { isPlinthError, type Logger, orAbort, plinthError } from '@plinth/core';
import { type ImageCodec, Semaphore } from '@plinth/toolkit';
import type { UsageLedger } from '../answer/usage.ts';
import type { ImageAbilities, ImageModel, ImageResult, ImageRun, Picture } from '../model.ts';
import type { EditWish, Wish } from '../request/order.ts';
import { nextSeed } from '../request/seed.ts';
import { formatSize, isEqual } from '../request/sizes.ts';
import { type Finish, type FinishedPicture, finishPicture } from './finish.ts';
import { PartialLane } from './partials.ts';
import { checkResult } from './result.ts';

/** One request, ready to be worked on. */
export interface Order {
	readonly id: string;
	readonly model: ImageModel;
	/** An edit has pictures. */
	readonly wish: Wish | EditWish;
	readonly finish: Finish;
	/** How many pictures in all. */
	readonly count: number;
	/** Of the first picture. */
	readonly seed: number;
	/** Most unfinished states of each picture. */
	readonly partials: number;
}

/** What the work needs. */
export interface Workshop {
	readonly images: ImageCodec;
	/** Calls of the model at the same time. */
	readonly concurrency: number;
	readonly log: Logger;
}

/** A picture that is ready to be sent. */
export interface MadePicture extends FinishedPicture {
	/** Its place among the pictures of the request, from 0. */
	readonly index: number;
	/** What was asked for, or what the model made of `auto`; undefined when nobody said. */
	readonly quality: 'low' | 'medium' | 'high' | undefined;
	readonly revisedPrompt: string | undefined;
	/** Whether the model has told what it costs. */
	readonly isReported: boolean;
	/** Without doubles. */
	readonly warnings: readonly string[];
}

/** Who is told of pictures while they are made. */
export interface Audience {
	readonly usage: UsageLedger;
	/** A picture is ready. The pictures of one call come in their order. */
	made(picture: MadePicture): Promise<void> | void;
	/** False where events are made faster than they are read: unfinished states are then left out. */
	readonly hasRoom: boolean;
	/** An unfinished state of the picture `index`, the `state`th from 0. */
	partial(picture: FinishedPicture, index: number, state: number): void;
	/** A call has ended: how many pictures it withheld, and what it could not honour. */
	ended(result: ImageResult): void;
}

/**
 * Makes the pictures of a request, by as many calls as the model needs for them. Settles as soon as the signal aborts or a call fails:
 * all other calls are told by their signal, and nobody waits for a model that ignores it. Failures without a code are the model's.
 */
export async function makePictures(
	order: Order,
	audience: Audience,
	shop: Workshop,
	signal: AbortSignal,
): Promise<void> {
	const stop = new AbortController();
	const either = AbortSignal.any([signal, stop.signal]);
	const places = new Semaphore(shop.concurrency);
	const work = async (portion: Portion) => {
		try {
			await makePortion({ order, audience, shop, signal: either }, portion);
		} catch (error) {
			// Before its place is free: the next call must not be made.
			stop.abort(error);
			throw error;
		}
	};
	const calls = portions(order.count, order.model.abilities);
	await Promise.all(calls.map((portion) => places.run(() => work(portion), either)));
}

/** The pictures of one call. */
interface Portion {
	readonly first: number;
	readonly count: number;
}

/** A model that names a strange number of pictures a call is asked for one at a time. */
function portions(count: number, { count: most = 1 }: ImageAbilities = {}): Portion[] {
	const size = Number.isInteger(most) && most > 0 ? most : 1;
	return Array.from({ length: Math.ceil(count / size) }, (_, index) => ({
		first: index * size,
		count: Math.min(size, count - index * size),
	}));
}

/** What the steps of one call share. */
interface Job {
	readonly order: Order;
	readonly audience: Audience;
	readonly shop: Workshop;
	readonly signal: AbortSignal;
}

async function makePortion(job: Job, { first, count }: Portion): Promise<void> {
	const { order, audience, signal } = job;
	const lanes = createLanes(job, { first, count });
	try {
		const request = { ...order.wish, count };
		const answer = await ask(order.model, request, runOf(job, first, lanes));
		const result = checkResult(order.id, answer, count);
		for (const lane of lanes) lane.finishing();
		audience.usage.call(result.usage);
		audience.ended(result);
		const finishing = result.images.map((image) => bring(job, image, signal));
		// Awaited in order below: an early failure of a late one is nobody's yet.
		for (const work of finishing) work.catch(() => {});
		for (const [index, work] of finishing.entries()) {
			const finished = await work;
			signal.throwIfAborted();
			lanes[index]?.close(finished);
			await audience.made(describe(order, first + index, finished, result, index));
		}
	} finally {
		for (const lane of lanes) lane.stop();
	}
}

/** One lane for each picture of a call. */
function createLanes(job: Job, { first, count }: Portion): PartialLane[] {
	const { order, audience, shop, signal } = job;
	return Array.from(
		{ length: count },
		(_, image) =>
			new PartialLane({
				limit: order.partials,
				log: shop.log,
				hasRoom: () => audience.hasRoom,
				encode: (picture, wanted) => bring(job, picture, AbortSignal.any([signal, wanted])),
				show: (picture, state) => audience.partial(picture, first + image, state),
			}),
	);
}

function runOf({ order, shop, signal }: Job, first: number, lanes: PartialLane[]): ImageRun {
	return {
		signal,
		seed: nextSeed(order.seed, first),
		partials: order.partials,
		partial: (picture, image = 0) => {
			if (!signal.aborted) lanes[image]?.add(picture);
		},
		log: shop.log,
	};
}

function bring({ order, shop }: Job, picture: Picture, signal: AbortSignal) {
	return finishPicture(picture, order.finish, shop.images, signal);
}

async function ask(
	model: ImageModel,
	request: (Wish | EditWish) & { readonly count: number },
	run: ImageRun,
): Promise<ImageResult | undefined> {
	// Inside, so that a model that throws at once is like one that rejects.
	const call = async () =>
		'images' in request ? model.edit?.(request, run) : model.generate?.(request, run);
	try {
		return await orAbort(run.signal, call());
	} catch (cause) {
		if (run.signal.aborted) throw run.signal.reason;
		throw isPlinthError(cause) ? cause : plinthError('E_MODEL_FAILED', { cause });
	}
}

function describe(
	{ wish, finish }: Order,
	place: number,
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
		index: place,
		quality: result.quality ?? (wish.quality === 'auto' ? undefined : wish.quality),
		revisedPrompt: result.images[index]?.revisedPrompt,
		isReported: result.usage !== undefined,
		warnings: [...warnings],
	};
}
