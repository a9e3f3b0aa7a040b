import { errorFrom, type ServerEvent } from '@plinth/core';
import type { ImageContext } from '../context.ts';
import { imageErrors } from '../errors.ts';
import type { Shelf } from '../links/urls.ts';
import { type Audience, type MadePicture, makePictures, type Order } from '../work/make.ts';
import { EventQueue } from './events.ts';
import type { UsageLedger } from './usage.ts';
import { bestQuality, factsOf, itemOf } from './wire.ts';

/** What one streamed request brings. */
export interface StreamedOrder {
	readonly order: Order;
	readonly usage: UsageLedger;
	/** The word that the types of its events begin with. */
	readonly prefix: 'image_generation' | 'image_edit';
	/** Where finished pictures are kept when the client wants URLs. */
	readonly shelf: Shelf | undefined;
	readonly signal: AbortSignal;
	/** Called once when the work has ended. */
	leave(): void;
}

/** How long a failure may take and still be an answer with a status of its own, in milliseconds. */
const firstEventMs = 1_000;

/**
 * Makes pictures and shows them as server-sent events. Resolves with the first event, or after a second; rejects with what has failed
 * until then. When the reader leaves, every call of the model is told at once.
 */
export async function streamPictures(
	context: ImageContext,
	request: StreamedOrder,
	log: ImageContext['log'],
): Promise<AsyncIterable<ServerEvent>> {
	const { order, signal } = request;
	const left = new AbortController();
	const either = AbortSignal.any([signal, left.signal]);
	const queue = new EventQueue(() => left.abort(new Error('The client has left.')));
	const shop = { images: context.images, concurrency: context.options.concurrency, log };
	const teller = new Teller(context, request, queue, either);
	makePictures(order, teller, shop, either)
		.finally(request.leave)
		.then(
			() =>
				teller.told > 0 ? queue.end() : queue.fail(errorFrom(imageErrors, 'E_IMAGES_FILTERED')),
			(error: unknown) => queue.fail(error),
		);
	await queue.begun(context.clock, firstEventMs);
	return queue;
}

/** Turns what is made into events. */
class Teller implements Audience {
	readonly usage: UsageLedger;
	/** How many pictures have been told of. */
	told = 0;
	readonly #context: ImageContext;
	readonly #request: StreamedOrder;
	readonly #queue: EventQueue;
	readonly #signal: AbortSignal;
	#filtered = 0;

	constructor(
		context: ImageContext,
		request: StreamedOrder,
		queue: EventQueue,
		signal: AbortSignal,
	) {
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
		const { order, prefix } = this.#request;
		const type = `${prefix}.${event}`;
		const place = order.count > 1 ? { image_index: index } : {};
		this.#queue.push({ event: type, data: { type, ...data, ...place } });
	}
}
