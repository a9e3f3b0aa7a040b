import { defineRoute, errorFrom, errors, type Route, valueErrors } from '@plinth/core';
import { listErrors, listPage } from '@plinth/toolkit';
import { checkedTypes, found, knownTypes, type WebhookContext } from '../context.ts';
import { changed, rotated } from '../endpoints.ts';
import { webhookErrors } from '../errors.ts';
import { makeSecret } from '../secrets.ts';
import {
	createBody,
	endpointDeletedSchema,
	endpointListSchema,
	endpointParams,
	endpointQuery,
	endpointSchema,
	endpointWithSecretSchema,
	eventTypeListSchema,
	rotateBody,
	toEndpoint,
	toEndpointWithSecret,
	updateBody,
} from './schemas.ts';

const { E_WEBHOOK_ENDPOINT_NOT_FOUND: notFound } = webhookErrors;
const { E_STORE_UNAVAILABLE: unavailable, E_STORE_FULL: full } = errors;

/** The routes under `/v1/webhook_endpoints`, and `GET /v1/webhook_event_types`. */
export function endpointRoutes(context: WebhookContext): readonly Route[] {
	return [
		createEndpoint(context),
		listEndpoints(context),
		getEndpoint(context),
		updateEndpoint(context),
		deleteEndpoint(context),
		rotateSecret(context),
		listEventTypes(context),
	];
}

function createEndpoint(context: WebhookContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/v1/webhook_endpoints',
		scope: 'webhooks:write',
		summary: 'Create a webhook endpoint',
		description:
			'Ends of jobs are sent to it from now on, signed as Standard Webhooks says. ' +
			'The secret is shown in this answer alone.',
		body: createBody,
		response: { description: 'The endpoint and its secret.', schema: endpointWithSecretSchema },
		errors: [...valueErrors, webhookErrors.E_WEBHOOK_ENDPOINTS_FULL, unavailable, full],
		async handler({ body: { name, url, event_types } }, { principal }) {
			const eventTypes = checkedTypes(context, event_types);
			await context.egress.check(url, 'url');
			const given = { name, url, eventTypes };
			return toEndpointWithSecret(await context.endpoints.create(principal.tenant, given));
		},
	});
}

function listEndpoints({ endpoints }: WebhookContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/webhook_endpoints',
		scope: 'webhooks:read',
		summary: 'List webhook endpoints',
		query: endpointQuery,
		response: { description: 'One page of endpoints.', schema: endpointListSchema },
		errors: listErrors,
		async handler({ query: { after, limit } }, { principal }) {
			const all = await endpoints.list(principal.tenant);
			const rest = all.filter(({ id }) => after === undefined || id < after);
			return listPage(rest.slice(0, limit).map(toEndpoint), rest.length > limit);
		},
	});
}

function getEndpoint({ endpoints }: WebhookContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/webhook_endpoints/{id}',
		scope: 'webhooks:read',
		summary: 'Get a webhook endpoint',
		params: endpointParams,
		response: { description: 'The endpoint, without its secret.', schema: endpointSchema },
		errors: [notFound, unavailable],
		async handler({ params: { id } }, { principal }) {
			return toEndpoint(found(await endpoints.find(principal.tenant, id)));
		},
	});
}

function updateEndpoint(context: WebhookContext): Route {
	const { endpoints, egress, clock } = context;
	return defineRoute({
		method: 'POST',
		path: '/v1/webhook_endpoints/{id}',
		scope: 'webhooks:write',
		summary: 'Update a webhook endpoint',
		description: 'Another address, or the status `enabled`, enables a disabled endpoint.',
		params: endpointParams,
		body: updateBody,
		response: { description: 'The endpoint as it is now.', schema: endpointSchema },
		errors: [...valueErrors, notFound, unavailable, full],
		async handler({ params: { id }, body }, { principal }) {
			const { tenant } = principal;
			// First, so that a foreign id answers like an unknown one, whatever else is wrong.
			found(await endpoints.find(tenant, id));
			const { name, url, status, event_types: types } = body;
			const eventTypes = types && checkedTypes(context, types);
			if (url !== undefined) await egress.check(url, 'url');
			const changes = { name, url, status, eventTypes };
			const now = clock.now();
			const edited = await endpoints.change(tenant, id, (record) => changed(record, changes, now));
			return toEndpoint(found(edited));
		},
	});
}

/** The hint that an endpoint was deleted; every process ends its requests to it. */
export const endpointDeleted = 'webhooks.endpoint_deleted';

function deleteEndpoint(context: WebhookContext): Route {
	const { endpoints, deliveries, events, log } = context;
	return defineRoute({
		method: 'DELETE',
		path: '/v1/webhook_endpoints/{id}',
		scope: 'webhooks:write',
		summary: 'Delete a webhook endpoint',
		description: 'What waits to be sent to it is cancelled.',
		params: endpointParams,
		response: { description: 'The endpoint is gone.', schema: endpointDeletedSchema },
		errors: [notFound, unavailable],
		async handler({ params: { id } }, { principal }) {
			const { tenant } = principal;
			const isDeleted = await endpoints.remove(tenant, id);
			if (!isDeleted) throw errorFrom(webhookErrors, 'E_WEBHOOK_ENDPOINT_NOT_FOUND');
			events.publish({ type: endpointDeleted, tenant, subject: id, data: null });
			// In the background: what is missed is cancelled when it is due.
			void deliveries
				.cancelAll(tenant, id)
				.catch((err: unknown) => log.warn({ err }, 'deliveries are cancelled only when due'));
			return { id, object: 'webhook_endpoint.deleted', deleted: true };
		},
	});
}

function rotateSecret({ endpoints, clock }: WebhookContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/v1/webhook_endpoints/{id}/rotate_secret',
		scope: 'webhooks:write',
		summary: 'Replace the secret of a webhook endpoint',
		description: 'The new secret is shown in this answer alone.',
		params: endpointParams,
		body: rotateBody,
		response: { description: 'The endpoint and its new secret.', schema: endpointWithSecretSchema },
		errors: [errors.E_VALUE_TYPE, notFound, unavailable, full],
		async handler({ params: { id }, body }, { principal }) {
			const secret = makeSecret();
			const keepsOld = body.keep_old_secret_active_for_24_hours;
			const edited = await endpoints.change(principal.tenant, id, (record) =>
				rotated(record, secret, clock.now(), keepsOld),
			);
			return toEndpointWithSecret(found(edited));
		},
	});
}

function listEventTypes(context: WebhookContext): Route {
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
