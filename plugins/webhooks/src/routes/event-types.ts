import { defineRoute, type Route } from '@plinth/core';
import { knownTypes, type WebhookContext } from '../context.ts';
import { eventTypeListSchema } from '../wire.ts';

/** `GET /v1/webhook_event_types`. */
export function listEventTypes(context: WebhookContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/webhook_event_types',
		scope: 'webhooks:read',
		summary: 'List the types of webhook events',
		response: { description: 'What endpoints may ask for.', schema: eventTypeListSchema },
		errors: [],
		handler() {
			return { object: 'list', data: knownTypes(context) };
		},
	});
}
