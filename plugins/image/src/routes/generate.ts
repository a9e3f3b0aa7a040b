import { defineRoute, type Route } from '@plinth/core';
import type { ImageContext } from '../context.ts';
import { tryImagePassthrough } from '../passthrough.ts';
import { generationBody } from '../request/fields.ts';
import { checkAbilities, checkConflicts, generationRequest } from '../request/model-request.ts';
import { type ChosenModel, imagesResponse, respondWith, sharedErrors } from '../response/reply.ts';

/** `POST /v1/images/generations`: pictures from a text. */
export function generateImages(context: ImageContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/v1/images/generations',
		scope: 'images',
		summary: 'Make pictures from a text',
		body: generationBody,
		response: imagesResponse,
		errors: sharedErrors,
		precheck: () => context.requestLimit.check(),
		forward: (raw, call) => tryImagePassthrough(context, raw, call),
		async handler({ body }, call) {
			const requestFor = (candidate: ChosenModel) => {
				checkAbilities(candidate, 'generate', body);
				return generationRequest(body, candidate.model.abilities ?? {});
			};
			const requested = context.models.get(body.model);
			checkConflicts(body);
			checkAbilities(requested, 'generate', body);
			return respondWith(context, { body, requestFor }, call);
		},
	});
}
