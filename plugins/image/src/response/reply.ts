import { type Call, errors, type ModelCall, modelErrors, Reply, valueErrors } from '@plinth/core';
import { mediaErrors, startEventStream } from '@plinth/toolkit';
import type { ImageContext } from '../context.ts';
import { imageErrors } from '../errors.ts';
import { createUrlStore } from '../links/url-store.ts';
import type { ImageModel } from '../model.ts';
import type { EditBody, GenerationBody } from '../request/fields.ts';
import { type EditRequest, finishOf, type GenerationRequest } from '../request/model-request.ts';
import { seedOf } from '../request/seed.ts';
import type { AnswerContext } from './complete.ts';
import { UsageCounter } from './usage.ts';
import { type Images, imagesSchema } from './wire.ts';

/** Maximum milliseconds to wait for the first event. A failure within this time decides the HTTP status. */
const firstEventMs = 1_000;

/** The model of a request, with its id and not an alias. */
export interface ChosenModel {
	readonly id: string;
	readonly model: ImageModel;
}

/** A parsed request. */
export interface PictureRequest {
	readonly body: GenerationBody | EditBody;
	/** The request for a model. Throws 400 errors for what the model does not support. */
	requestFor(model: ChosenModel): GenerationRequest | EditRequest;
}

/**
 * Generates the pictures and responds as requested: complete or streamed, with bytes or URLs. A
 * fallback model can take over until all pictures are finished or, in a stream, until the first event. All
 * calls for one request use one model slot.
 */
export async function respondWith(context: ImageContext, request: PictureRequest, call: Call): Promise<Images | Reply> {
	const { models, clock } = context;
	const { body } = request;
	// Loaded by the first request, so that a server starts sooner.
	const [{ answerWhole }, { streamPictures }] = await Promise.all([import('./complete.ts'), import('./stream.ts')]);
	const release = context.requestLimit.acquire();
	const contextFor = (modelCall: ModelCall<ImageModel>) => answerContext(context, request, modelCall, call);
	if (!body.stream) {
		return models
			.ask(body.model, call, (modelCall) => answerWhole(context, contextFor(modelCall), call.log))
			.finally(release);
	}
	const events = await startEventStream(call, { clock, maxWaitMs: firstEventMs }, async (caller) => {
		try {
			return await models.ask(body.model, caller, async (modelCall) => {
				const { events, ended } = await streamPictures(context, contextFor(modelCall), call.log);
				const releaseSlot = modelCall.keepSlot();
				ended.then(releaseSlot);
				ended.then(release);
				return events;
			});
		} catch (error) {
			release();
			throw error;
		}
	});
	return Reply.events(events);
}

function answerContext(
	{ options, models, blobs, key, clock }: ImageContext,
	{ body, requestFor }: PictureRequest,
	{ id, model, signal }: ModelCall<ImageModel>,
	{ publicUrl, warnings }: Call,
): AnswerContext {
	const request = requestFor({ id, model });
	const ttlMs = Math.round(options.urlMinutes * 60_000);
	return {
		task: {
			id,
			model,
			request,
			finish: finishOf(body, model.abilities ?? {}),
			count: body.n,
			// Independent of the model that runs, so that all models of a pool produce the same pictures.
			seed: body.seed ?? seedOf(models.get(body.model).id, request),
			partials: body.stream ? body.partial_images : 0,
		},
		usage: new UsageCounter(body.prompt, 'images' in request ? request.images : []),
		urlStore: body.response_format === 'url' ? createUrlStore({ blobs, key, clock, ttlMs }, publicUrl) : undefined,
		signal,
		warnings,
	};
}

/** The response of both operations, for OpenAPI. */
export const imagesResponse = {
	description: 'The pictures; with `stream`, events: `….partial_image` and one `….completed` for each picture.',
	schema: imagesSchema,
	mediaTypes: ['text/event-stream'],
};

/** The errors of both operations. */
export const sharedErrors = [
	...valueErrors,
	...modelErrors,
	mediaErrors.E_MODERATION_BLOCKED,
	errors.E_OVERLOADED,
	errors.E_STORE_FULL,
	errors.E_STORE_UNAVAILABLE,
	imageErrors.E_IMAGES_FILTERED,
] as const;
