import { errorFrom, type ServerEvent } from '@plinth/core';
import type { ImageContext } from '../context.ts';
import { imageErrors } from '../errors.ts';
import { type Audience, type MadePicture, makePictures } from '../work/make.ts';
import { EventQueue } from './events.ts';
import type { UsageLedger } from './usage.ts';
import type { WholeOrder } from './whole.ts';
import { bestQuality, factsOf, itemOf } from './wire.ts';

/** A stream that has begun. */
export interface StreamedPictures {
	readonly events: AsyncIterable<ServerEvent>;
	/** Resolves when the work has ended, however it did. */
	readonly ended: Promise<void>;
}

/**
 * Makes pictures and shows them as server-sent events. Resolves with the first event; rejects with what has failed until then. When the reader leaves, every call of the
 * model is told at once.
 */
export async function streamPictures(
	context: ImageContext,
	request: WholeOrder,
	log: ImageContext['log'],
): Promise<StreamedPictures> {
	const { order, signal } = request;
	const left = new AbortController();
	const either = AbortSignal.any([signal, left.signal]);
	const queue = new EventQueue(() => left.abort(new Error('The client has left.')));
	const shop = { images: context.images, concurrency: context.options.concurrency, log };
	const teller = new Teller(context, request, queue, either);
	const ended = makePictures(order, teller, shop, either).then(
		() => (teller.told > 0 ? queue.end() : queue.fail(errorFrom(imageErrors, 'E_IMAGES_FILTERED'))),
		(error: unknown) => queue.fail(error),
	);
	await queue.begun();
	return { events: queue, ended };
}

/** Turns what is made into events. */
class Teller implements Audience {
	readonly usage: UsageLedger;
	/** How many pictures have been told of. */
	told = 0;
	readonly #context: ImageContext;
	readonly #request: WholeOrder;
	readonly #queue: EventQueue;
	readonly #signal: AbortSignal;
	#filtered = 0;

	constructor(context: ImageContext, request: WholeOrder, queue: EventQueue, signal: AbortSignal) {
		this.usage = request.usage;
		this.#context = context;
		this.#request = request;
		this.#queue = queue;
		this.#signal = signal;
	}

	ended({ filtered = 0 }: { readonly filtered?: number }): void {
		this.#filtered += filtered;
	}

	get hasRoom(): boolean {
		return this.#queue.hasRoom;
	}

	partial(picture: Parameters<Audience['partial']>[0], index: number, state: number): void {
		const { wish } = this.#request.order;
		this.#push('partial_image', index, {
			...itemOf(picture),
			partial_image_index: state,
			...this.#facts(picture),
			quality: wish.quality,
		});
	}

	async made(picture: MadePicture): Promise<void> {
		const { shelf, order } = this.#request;
		// Before it is stored, and before its call makes room for the next one: who reads slowly is worked for slowly.
		await this.#queue.room();
		const url = await shelf?.put(picture.data, order.finish.format, this.#signal);
		const { revisedPrompt, warnings, quality = bestQuality } = picture;
		this.usage.picture(picture);
		this.#push('completed', picture.index, {
			...itemOf(picture, url),
			...this.#facts(picture),
			quality,
			usage: this.usage.news(),
			...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
			...(this.#filtered > 0 ? { filtered_count: this.#filtered } : {}),
			...(warnings.length > 0 ? { warnings } : {}),
		});
		this.told += 1;
		this.#filtered = 0;
	}

	#facts(picture: Parameters<typeof factsOf>[0]): object {
		return {
			created_at: Math.floor(this.#context.clock.now() / 1000),
			...factsOf(picture),
			output_format: this.#request.order.finish.format,
		};
	}

	#push(event: string, index: number, data: object): void {
		const { order } = this.#request;
		const prefix = 'images' in order.wish ? 'image_edit' : 'image_generation';
		const type = `${prefix}.${event}`;
		const place = order.count > 1 ? { image_index: index } : {};
		this.#queue.push({ event: type, data: { type, ...data, ...place } });
	}
}
