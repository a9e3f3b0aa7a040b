import { defineRoute, type Route } from '@plinth/core';
import { type ChosenModel, imagesResponse, replyWith, sharedErrors } from '../answer/reply.ts';
import type { ImageContext } from '../context.ts';
import { tryImagePassthrough } from '../passthrough.ts';
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
		precheck: () => context.load.check(),
		forward: (raw, call) => tryImagePassthrough(context, raw, call),
		async handler({ body }, call) {
			const wishFor = (chosen: ChosenModel) => {
				checkAbilities(chosen, 'generate', body);
				return generationWish(body, chosen.model.abilities ?? {});
			};
			const named = context.models.get(body.model);
			checkConflicts(body);
			checkAbilities(named, 'generate', body);
			return replyWith(context, { body, wishFor }, call);
		},
	});
}
