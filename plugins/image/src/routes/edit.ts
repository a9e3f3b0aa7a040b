import { defineRoute, type Route } from '@plinth/core';
import { mediaErrors, ReferencedFiles } from '@plinth/toolkit';
import type { ImageContext } from '../context.ts';
import { editBody } from '../request/fields.ts';
import { findInputs, readInputs } from '../request/inputs.ts';
import { checkAbilities, checkConflicts, editRequest } from '../request/model-request.ts';
import { type ChosenModel, imagesResponse, respondWith, sharedErrors } from '../response/reply.ts';

/** Seventeen files, uploaded or referenced. */
const maxBodyBytes = 891_289_600;

/** `POST /v1/images/edits`: pictures from pictures and a text. All pictures are probed before the model call. */
export function editImages(context: ImageContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/v1/images/edits',
		scope: 'images',
		summary: 'Change pictures',
		description: 'The first picture is changed; further ones are references. The prompt describes the complete result.',
		body: editBody,
		encoding: ['multipart', 'json'],
		spoolDataUrls: true,
		limits: {
			json: 209_715_200,
			multipart: maxBodyBytes,
			files: 17,
			fieldsEndingIn: { '[image_url]': 22_020_096 },
		},
		response: imagesResponse,
		errors: [...sharedErrors, mediaErrors.E_IMAGE_UNREADABLE, mediaErrors.E_IMAGE_TOO_LARGE],
		precheck: () => context.requestLimit.check(),
		async handler({ body }, call) {
			const files = new ReferencedFiles(context.sources, call, maxBodyBytes);
			const sent = findInputs(body, files);
			const requested = context.models.get(body.model);
			checkConflicts(body);
			checkAbilities(requested, 'edit', body, sent);
			const inputs = await readInputs(sent, context.images, call.signal);
			const requestFor = (candidate: ChosenModel) => {
				checkAbilities(candidate, 'edit', body, sent);
				return editRequest(body, candidate.model.abilities ?? {}, inputs);
			};
			return respondWith(context, { body, requestFor }, call);
		},
	});
}
