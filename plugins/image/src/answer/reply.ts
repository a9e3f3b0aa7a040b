import { type Call, errors, type ModelCall, modelErrors, Reply, valueErrors } from '@plinth/core';
import { eventsWithin, mediaErrors } from '@plinth/toolkit';
import type { ImageContext } from '../context.ts';
import { imageErrors } from '../errors.ts';
import { createShelf } from '../links/urls.ts';
import type { ImageModel } from '../model.ts';
import type { EditBody, GenerationBody } from '../request/fields.ts';
import { type EditWish, finishOf, type Wish } from '../request/order.ts';
import { seedOf } from '../request/seed.ts';
import { streamPictures } from './stream.ts';
import { UsageLedger } from './usage.ts';
import { answerWhole, type WholeOrder } from './whole.ts';
import { type Images, imagesSchema } from './wire.ts';

/** How long a failure may take and still be an answer with a status of its own, in milliseconds. */
const firstEventMs = 1_000;

/** The model of a request, under its own id and not under an alias of it. */
export interface ChosenModel {
	readonly id: string;
	readonly model: ImageModel;
}

/** One request. */
export interface PictureRequest {
	readonly body: GenerationBody | EditBody;
	/** The wish as a model can fulfil it. Throws 400 errors for what it cannot do. */
	wishFor(model: ChosenModel): Wish | EditWish;
}

/**
 * Lets a model fulfil a wish, and answers in the way that the client wants: whole or as a stream, with bytes or with URLs. Another model can take over until all pictures are there or,
 * of a stream, until the first event is. All calls for the pictures of one request are one turn of the model.
 */
export async function replyWith(
	context: ImageContext,
	request: PictureRequest,
	call: Call,
): Promise<Images | Reply> {
	const { models, clock } = context;
	const { body } = request;
	const leave = context.load.enter();
	const orderFor = (turn: ModelCall<ImageModel>) => orderOf(context, request, turn, call.publicUrl);
	if (!body.stream) {
		return models
			.ask(body.model, call, (turn) => answerWhole(context, orderFor(turn), call.log))
			.finally(leave);
	}
	const events = await eventsWithin(call, { clock, ms: firstEventMs }, async (caller) => {
		try {
			return await models.ask(body.model, caller, async (turn) => {
				const { events, ended } = await streamPictures(context, orderFor(turn), call.log);
				const release = turn.keepSlot();
				ended.then(release);
				ended.then(leave);
				return events;
			});
		} catch (error) {
			leave();
			throw error;
		}
	});
	return Reply.events(events);
}

function orderOf(
	{ options, models, blobs, key, clock }: ImageContext,
	{ body, wishFor }: PictureRequest,
	{ id, model, signal }: ModelCall<ImageModel>,
	publicUrl: string,
): WholeOrder {
	const wish = wishFor({ id, model });
	const ttlMs = Math.round(options.urlMinutes * 60_000);
	return {
		order: {
			id,
			model,
			wish,
			finish: finishOf(body, model.abilities ?? {}),
			count: body.n,
			// Equal for whoever makes them: one member of a pool may do what another did before.
			seed: body.seed ?? seedOf(models.get(body.model).id, wish),
			partials: body.stream ? body.partial_images : 0,
		},
		usage: new UsageLedger(body.prompt, 'images' in wish ? wish.images : []),
		shelf:
			body.response_format === 'url'
				? createShelf({ blobs, key, clock, ttlMs }, publicUrl)
				: undefined,
		signal,
	};
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
	...modelErrors,
	mediaErrors.E_MODERATION_BLOCKED,
	errors.E_OVERLOADED,
	errors.E_STORE_FULL,
	errors.E_STORE_UNAVAILABLE,
	imageErrors.E_IMAGES_FILTERED,
] as const;
