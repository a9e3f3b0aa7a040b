import { defineRoute, errors, type Route } from '@plinth/core';
import { mediaErrors, ReferencedFiles } from '@plinth/toolkit';
import { checkAbilities, withDefaults } from '../abilities.ts';
import { readCallback } from '../callback.ts';
import { createdReply, type VideoContext } from '../context.ts';
import { createBody } from '../fields.ts';
import type { VideoInput } from '../record.ts';
import { checkReference, readReference, referenceName } from '../reference.ts';
import { pollHeader, videoSchema } from '../wire.ts';

/** `POST /v1/videos`: checks the reference picture before accepting the job. Responds 201 once the job is stored. */
export function createVideo(context: VideoContext): Route {
	const { jobs, models, images, sources } = context;
	return defineRoute({
		method: 'POST',
		path: '/v1/videos',
		scope: 'videos:write',
		summary: 'Create a video job',
		description: 'Responds at once with a queued job. Poll it every 5 to 10 seconds, then download its content.',
		body: createBody,
		encoding: ['multipart', 'json'],
		spoolDataUrls: true,
		limits: {
			json: 23_068_672,
			multipart: 62_914_560,
			fieldsEndingIn: { '[image_url]': 22_020_096 },
		},
		response: {
			status: 201,
			description: 'The queued job.',
			schema: videoSchema,
			headers: pollHeader,
		},
		errors: [
			errors.E_VALUE_MISSING,
			errors.E_VALUE_INVALID,
			errors.E_VALUE_TYPE,
			errors.E_VALUE_UNSUPPORTED,
			errors.E_STRING_TOO_LONG,
			errors.E_STRING_TOO_SHORT,
			mediaErrors.E_IMAGE_UNREADABLE,
			mediaErrors.E_IMAGE_TOO_LARGE,
			errors.E_MODEL_NOT_FOUND,
			errors.E_IDEMPOTENCY_MISMATCH,
			errors.E_QUEUE_FULL,
			errors.E_STORE_FULL,
			errors.E_STORE_UNAVAILABLE,
		],
		precheck: ({ principal, idempotency }) => jobs.checkQueue(principal, idempotency),
		async handler({ body }, call) {
			const { principal, signal, idempotency } = call;
			// First, because a file of the original request may have been deleted since.
			const repeated = await jobs.repeated(principal, idempotency);
			if (repeated) return createdReply(context, { job: repeated, replayed: true }, call);
			const { input_reference: reference = null, callback_url: url, callback_secret: secret } = body;
			const image = reference === null ? null : readReference(reference, new ReferencedFiles(sources, call));
			const model = models.get(body.model);
			const { size, seconds } = withDefaults(body, model);
			checkAbilities(model, { ...body, size, seconds });
			const callback = (url ?? secret) === undefined ? null : await readCallback(context, body);
			const attachments = image ? [await checkReference(image, images, signal)] : [];
			const submitted = await jobs.submit({
				principal,
				model: model.id,
				attachments,
				idempotency,
				...(callback && { callback }),
				input: (files): VideoInput => ({
					prompt: body.prompt,
					alias: body.model === model.id ? null : body.model,
					seconds,
					size,
					reference: files[referenceName] ?? null,
					remixOf: null,
				}),
			});
			return createdReply(context, submitted, call);
		},
	});
}
