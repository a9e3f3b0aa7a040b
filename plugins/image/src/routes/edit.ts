import { defineRoute, type Route } from '@plinth/core';
import { mediaErrors, NamedFiles } from '@plinth/toolkit';
import { type ChosenModel, imagesResponse, replyWith, sharedErrors } from '../answer/reply.ts';
import type { ImageContext } from '../context.ts';
import { editBody } from '../request/fields.ts';
import { findInputs, readInputs } from '../request/inputs.ts';
import { checkAbilities, checkConflicts, editWish } from '../request/order.ts';

/** Seventeen files, sent or named. */
const maxBodyBytes = 891_289_600;

/** `POST /v1/images/edits`: pictures from pictures and words. All pictures are looked at before a model is asked. */
export function editImages(context: ImageContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/v1/images/edits',
		scope: 'images',
		summary: 'Change pictures',
		description:
			'The first picture is changed; further ones are material. The prompt describes the full final scene.',
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
		precheck: () => context.load.check(),
		async handler({ body }, call) {
			const named = new NamedFiles(context.sources, call, maxBodyBytes);
			const sent = findInputs(body, named);
			const wanted = context.models.get(body.model);
			checkConflicts(body);
			checkAbilities(wanted, 'edit', body, sent);
			const inputs = await readInputs(sent, context.images, call.signal);
			const wishFor = (chosen: ChosenModel) => {
				checkAbilities(chosen, 'edit', body, sent);
				return editWish(body, chosen.model.abilities ?? {}, inputs);
			};
			return replyWith(context, { body, wishFor }, call);
		},
	});
}
