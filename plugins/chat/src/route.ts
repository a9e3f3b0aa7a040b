import { defineRoute, errors, modelErrors, type Route, valueErrors } from '@plinth/core';
import { mediaErrors, tryPassthrough } from '@plinth/toolkit';
import type { ChatContext } from './context.ts';
import { chatPassthrough } from './passthrough.ts';
import { chatBody } from './request/fields.ts';
import { maxFiles } from './request/parts.ts';
import { chatCompletion } from './response/schemas.ts';

/** `POST /v1/chat/completions`: files are read before the model sees the messages. */
export function createChatCompletion(context: ChatContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/v1/chat/completions',
		scope: 'chat',
		summary: 'Answer a conversation',
		description:
			'Files in the messages are converted to text first, so that every model can use them. ' +
			'With `stream`, the response is server-sent events, `[DONE]` last.',
		body: chatBody,
		spoolDataUrls: {
			only: ['url', 'image_url', 'file_data', 'data'],
			bare: ['file_data', 'data'],
			keepDamaged: true,
		},
		limits: { json: 73_400_320, files: maxFiles },
		response: {
			description: 'The answer.',
			schema: chatCompletion,
			mediaTypes: ['text/event-stream'],
		},
		errors: [
			...valueErrors,
			mediaErrors.E_IMAGE_UNREADABLE,
			mediaErrors.E_IMAGE_TOO_LARGE,
			...Object.values(mediaErrors),
			...modelErrors,
			mediaErrors.E_CONTEXT_TOO_LONG,
			errors.E_OVERLOADED,
			errors.E_STORE_FULL,
			errors.E_STORE_UNAVAILABLE,
		],
		forward: (raw, call) => tryPassthrough(context.models, raw, call, chatPassthrough(raw)),
		// Loaded by the first request, so that a server starts sooner.
		handler: async ({ body }, call) => (await import('./complete.ts')).complete(context, body, call),
	});
}
