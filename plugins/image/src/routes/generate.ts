import { defineRoute, type Route } from '@plinth/core';
import { imagesResponse, replyWith, sharedErrors } from '../answer/reply.ts';
import type { ImageContext } from '../context.ts';
import { generationBody } from '../request/fields.ts';
import { checkAbilities, checkConflicts, generationWish } from '../request/order.ts';

/** `POST /v1/images/generations`: pictures from words. */
export function generateImages(context: ImageContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/v1/images/generations',
		scope: 'images',
		summary: 'Make pictures from a text',
		body: generationBody,
		response: imagesResponse,
		errors: sharedErrors,
		admit: () => context.load.admit(),
		async handler({ body }, call) {
			const chosen = context.models.get(body.model);
			checkConflicts(body);
			checkAbilities(chosen, 'generate', body);
			const wish = generationWish(body, chosen.model.abilities ?? {});
			return replyWith(context, chosen, wish, body, call);
		},
	});
}
