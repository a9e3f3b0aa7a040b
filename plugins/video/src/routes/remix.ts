import { type BlobStore, defineRoute, errorFrom, errors, type Job, type JobAttachment, type Route } from '@plinth/core';
import { readCallback } from '../callback.ts';
import { createdReply, findVideo, type VideoContext } from '../context.ts';
import { videoErrors } from '../errors.ts';
import { idParams, remixBody } from '../fields.ts';
import { inputOf, type StoredFile, type VideoInput } from '../record.ts';
import { referenceName } from '../reference.ts';
import { pollHeader, videoSchema } from '../wire.ts';

/** `POST /v1/videos/{id}/remix`: a new job with another prompt and everything else as in the source. */
export function remixVideo(context: VideoContext): Route {
	const { jobs, models, blobs } = context;
	return defineRoute({
		method: 'POST',
		path: '/v1/videos/{id}/remix',
		scope: 'videos:write',
		summary: 'Make a variation of a completed video',
		params: idParams,
		body: remixBody,
		encoding: ['json', 'multipart'],
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
			videoErrors.E_VIDEO_NOT_FOUND,
			videoErrors.E_VIDEO_NOT_COMPLETED,
			videoErrors.E_VIDEO_REFERENCE_EXPIRED,
			errors.E_MODEL_NOT_FOUND,
			errors.E_IDEMPOTENCY_MISMATCH,
			errors.E_QUEUE_FULL,
			errors.E_STORE_FULL,
			errors.E_STORE_UNAVAILABLE,
		],
		precheck: ({ principal, idempotency }) => jobs.checkQueue(principal, idempotency),
		async handler({ params, body }, call) {
			const { principal, idempotency } = call;
			// First, because the source may have been deleted since the original request.
			const repeated = await jobs.repeated(principal, idempotency);
			if (repeated) return createdReply(context, { job: repeated, replayed: true }, call);
			const source = await findVideo(context, principal.tenant, params.id);
			requireCompleted(source);
			// A record of an earlier version may name an alias.
			const { id: model } = models.get(source.model);
			const { callback_url: url, callback_secret: secret } = body;
			const callback = (url ?? secret) === undefined ? null : await readCallback(context, body);
			const { prompt, alias, seconds, size, reference } = inputOf(source);
			const submitted = await jobs.submit({
				principal,
				model,
				attachments: reference ? [await copyOf(reference, blobs)] : [],
				idempotency,
				...(callback && { callback }),
				input: (files): VideoInput => ({
					prompt: body.prompt,
					alias,
					seconds,
					size,
					reference: files[referenceName] ?? null,
					remixOf: { id: source.id, prompt },
				}),
			});
			return createdReply(context, submitted, call);
		},
	});
}

function requireCompleted({ status }: Job): void {
	if (status === 'completed') return;
	throw errorFrom(videoErrors, 'E_VIDEO_NOT_COMPLETED', {
		message: `Only a completed video can be remixed; this one is ${status}.`,
	});
}

/** The new job owns a copy, so that deleting the source does not affect it. */
async function copyOf({ key, mediaType }: StoredFile, blobs: BlobStore): Promise<JobAttachment> {
	const expired = () => errorFrom(videoErrors, 'E_VIDEO_REFERENCE_EXPIRED');
	if (!(await blobs.head(key))) throw expired();
	async function* body(): AsyncGenerator<Uint8Array> {
		const blob = await blobs.get(key);
		if (!blob) throw expired();
		yield* blob.body;
	}
	return { name: referenceName, mediaType, body: body() };
}
