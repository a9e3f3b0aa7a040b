import { type Call, errors, Reply, valueErrors } from '@plinth/core';
import type { ImageContext } from '../context.ts';
import { imageErrors } from '../errors.ts';
import { createShelf } from '../links/urls.ts';
import type { ImageModel } from '../model.ts';
import type { EditBody, GenerationBody } from '../request/fields.ts';
import { type EditWish, finishOf, type Wish } from '../request/order.ts';
import { seedOf } from '../request/seed.ts';
import type { Order } from '../work/make.ts';
import { type StreamedOrder, streamPictures } from './stream.ts';
import { UsageLedger } from './usage.ts';
import { answerWhole } from './whole.ts';
import { imagesSchema } from './wire.ts';

/** The model of a request, under its own id and not under an alias of it. */
export interface ChosenModel {
	readonly id: string;
	readonly model: ImageModel;
}

/** Lets the model fulfil a wish, and answers in the way that the client wants: whole or as a stream, with bytes or with URLs. */
export async function replyWith(
	context: ImageContext,
	{ id, model }: ChosenModel,
	wish: Wish | EditWish,
	body: GenerationBody | EditBody,
	call: Call,
): Promise<unknown> {
	const { options, blobs, key, clock } = context;
	const isEdit = 'images' in wish;
	const order: Order = {
		id,
		model,
		wish,
		finish: finishOf(body, model.abilities ?? {}),
		count: body.n,
		seed: body.seed ?? seedOf(id, wish),
		partials: body.stream ? body.partial_images : 0,
	};
	const usage = new UsageLedger(body.prompt, isEdit ? wish.images : []);
	const ttlMs = Math.round(options.urlMinutes * 60_000);
	const shelf =
		body.response_format === 'url'
			? createShelf({ blobs, key, clock, ttlMs }, call.publicUrl)
			: undefined;
	const request = { order, usage, shelf, signal: call.signal };
	const leave = context.load.enter();
	if (!body.stream) return answerWhole(context, request, call.log).finally(leave);
	const prefix: StreamedOrder['prefix'] = isEdit ? 'image_edit' : 'image_generation';
	return Reply.events(await streamPictures(context, { ...request, prefix, leave }, call.log));
}

/** How both operations answer, for OpenAPI. */
export const imagesResponse = {
	description:
		'The pictures; with `stream`, events: `….partial_image` and one `….completed` for each picture.',
	schema: imagesSchema,
	mediaTypes: ['text/event-stream'],
};

/** What both operations refuse with. */
export const sharedErrors = [
	...valueErrors,
	errors.E_MODEL_NOT_FOUND,
	errors.E_MODEL_FAILED,
	errors.E_OVERLOADED,
	errors.E_STORE_FULL,
	errors.E_STORE_UNAVAILABLE,
	imageErrors.E_IMAGES_FILTERED,
] as const;
