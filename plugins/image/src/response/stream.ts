import { errorFrom, type ServerEvent } from '@plinth/core';
import type { ImageContext } from '../context.ts';
import { imageErrors } from '../errors.ts';
import { type MadePicture, makePictures, type PictureListener } from '../work/make.ts';
import type { AnswerContext } from './complete.ts';
import { EventQueue } from './event-queue.ts';
import type { UsageCounter } from './usage.ts';
import { defaultQuality, itemOf, metadataOf } from './wire.ts';

/** A started stream. */
export interface StreamedPictures {
	readonly events: AsyncIterable<ServerEvent>;
	/** Resolves when the work has ended, successfully or not. */
	readonly ended: Promise<void>;
}

/**
 * Generates pictures as server-sent events. Resolves with the first event; rejects with a failure before
 * it. When the reader returns, all calls of the model are aborted.
 */
export async function streamPictures(
	context: ImageContext,
	request: AnswerContext,
	log: ImageContext['log'],
): Promise<StreamedPictures> {
	const { task, signal } = request;
	const disconnect = new AbortController();
	const combined = AbortSignal.any([signal, disconnect.signal]);
	const queue = new EventQueue(() => disconnect.abort(new Error('The client has disconnected.')));
	const tools = { images: context.images, concurrency: context.options.concurrency, log };
	const writer = new EventWriter(context, request, queue, combined);
	const ended = makePictures(task, writer, tools, combined).then(
		() => (writer.sent > 0 ? queue.end() : queue.fail(errorFrom(imageErrors, 'E_IMAGES_FILTERED'))),
		(error: unknown) => queue.fail(error),
	);
	await queue.awaitFirst();
	return { events: queue, ended };
}

/** Converts pictures to events. */
class EventWriter implements PictureListener {
	readonly usage: UsageCounter;
	/** How many pictures have been sent. */
	sent = 0;
	readonly #context: ImageContext;
	readonly #request: AnswerContext;
	readonly #queue: EventQueue;
	readonly #signal: AbortSignal;
	#filtered = 0;

	constructor(context: ImageContext, request: AnswerContext, queue: EventQueue, signal: AbortSignal) {
		this.usage = request.usage;
		this.#context = context;
		this.#request = request;
		this.#queue = queue;
		this.#signal = signal;
	}

	onResult({ filtered = 0 }: { readonly filtered?: number }): void {
		this.#filtered += filtered;
	}

	get acceptsPartials(): boolean {
		return this.#queue.hasCapacity;
	}

	onPartial(picture: Parameters<PictureListener['onPartial']>[0], index: number, state: number): void {
		const { request } = this.#request.task;
		this.#push('partial_image', index, {
			...itemOf(picture),
			partial_image_index: state,
			...this.#metadata(picture),
			quality: request.quality,
		});
	}

	async onPicture(picture: MadePicture): Promise<void> {
		const { urlStore, task } = this.#request;
		// Waits before the picture is stored and the next call starts, so that a slow reader slows the work down.
		await this.#queue.waitForCapacity();
		const url = await urlStore?.put(picture.data, task.finish.format, this.#signal);
		const { revisedPrompt, quality = defaultQuality } = picture;
		const warnings = [...this.#request.warnings, ...picture.warnings];
		this.usage.addPicture(picture);
		this.#push('completed', picture.index, {
			...itemOf(picture, url),
			...this.#metadata(picture),
			quality,
			usage: this.usage.takeDelta(),
			...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
			...(this.#filtered > 0 ? { filtered_count: this.#filtered } : {}),
			...(warnings.length > 0 ? { warnings } : {}),
		});
		this.sent += 1;
		this.#filtered = 0;
	}

	#metadata(picture: Parameters<typeof metadataOf>[0]): object {
		return {
			created_at: Math.floor(this.#context.clock.now() / 1000),
			...metadataOf(picture),
			output_format: this.#request.task.finish.format,
		};
	}

	#push(event: string, index: number, data: object): void {
		const { task } = this.#request;
		const prefix = 'images' in task.request ? 'image_edit' : 'image_generation';
		const type = `${prefix}.${event}`;
		const indexField = task.count > 1 ? { image_index: index } : {};
		this.#queue.push({ event: type, data: { type, ...data, ...indexField } });
	}
}
