import { defineRoute, errors, modelErrors, plinthError, type Route, valueErrors } from '@plinth/core';
import type { TranscriptionContext } from './answer.ts';
import { transcriptionBody, translationBody } from './request/fields.ts';
import { textTypes, transcriptionAnswer } from './response/schemas.ts';

/** `POST /v1/audio/transcriptions`: transcribes speech. `POST /v1/audio/translations`: translates it into English. */
export function transcriptionRoutes(context: TranscriptionContext): readonly Route[] {
	const { maxFileBytes } = context.options;
	const common = {
		method: 'POST',
		scope: 'transcriptions',
		encoding: 'multipart',
		// Two files, so that a second one gets an error with its name. A megabyte for texts and the headers of parts.
		limits: { file: maxFileBytes, multipart: maxFileBytes + 1_048_576, files: 2 },
		errors: [...valueErrors, ...modelErrors, errors.E_OVERLOADED, errors.E_STORE_FULL, errors.E_STORE_UNAVAILABLE],
	} as const;
	// `answer.ts` is loaded by the first request, so that a server starts sooner.
	const response = { description: 'What was said.', schema: transcriptionAnswer, mediaTypes: textTypes };
	return [
		defineRoute({
			...common,
			path: '/v1/audio/transcriptions',
			summary: 'Write down what is said',
			description: 'With `stream`, the events are `transcript.text.delta`, then `transcript.text.done`.',
			body: transcriptionBody(maxFileBytes),
			response: { ...response, mediaTypes: [...textTypes, 'text/event-stream'] },
			handler: async ({ body }, call) => (await import('./answer.ts')).answer(context, body, 'transcribe', call),
		}),
		defineRoute({
			...common,
			path: '/v1/audio/translations',
			summary: 'Write down in English what is said',
			description: 'Only with models that translate. OpenAI ends this operation in February 2027.',
			body: translationBody(maxFileBytes),
			response,
			handler: async ({ body }, call) => (await import('./answer.ts')).answer(context, body, 'translate', call),
		}),
	];
}

/** The routes of a server without a model: their error says how to add one. */
export function absentRoutes(): readonly Route[] {
	const message = 'This server has no transcription model. Its operator can add one, such as openai.transcription.';
	return (['transcriptions', 'translations'] as const).map((name) =>
		defineRoute({
			method: 'POST',
			path: `/v1/audio/${name}`,
			scope: 'transcriptions',
			summary: 'Write down what is said (not offered)',
			response: { status: 404, description: 'Always 404 unsupported_operation.' },
			errors: [errors.E_OPERATION_UNSUPPORTED],
			handler: () => Promise.reject(plinthError('E_OPERATION_UNSUPPORTED', { message })),
		}),
	);
}
