import { defineRoute, errorFrom, errors, type Route, valueErrors } from '@plinth/core';
import { listErrors, listPage } from '@plinth/toolkit';
import { checkedTypes, knownTypes, requireEndpoint, type WebhookContext } from '../context.ts';
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
			'From now on it gets an event when a job ends, signed according to Standard Webhooks. ' +
			'Only this response contains the secret.',
		body: createBody,
		response: { description: 'The endpoint and its secret.', schema: endpointWithSecretSchema },
		errors: [...valueErrors, webhookErrors.E_WEBHOOK_ENDPOINTS_FULL, unavailable, full],
		async handler({ body: { name, url, event_types } }, { principal }) {
			const eventTypes = checkedTypes(context, event_types);
			await context.egress.check(url, 'url');
			const settings = { name, url, eventTypes };
			return toEndpointWithSecret(await context.endpoints.create(principal.tenant, settings));
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
			return toEndpoint(requireEndpoint(await endpoints.find(principal.tenant, id)));
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
		description: 'Another URL, or the status `enabled`, enables a disabled endpoint.',
		params: endpointParams,
		body: updateBody,
		response: { description: 'The endpoint as it is now.', schema: endpointSchema },
		errors: [...valueErrors, notFound, unavailable, full],
		async handler({ params: { id }, body }, { principal }) {
			const { tenant } = principal;
			// Before other checks: the id of another tenant always gets the same error as an unknown id.
			requireEndpoint(await endpoints.find(tenant, id));
			const { name, url, status, event_types: types } = body;
			const eventTypes = types && checkedTypes(context, types);
			if (url !== undefined) await egress.check(url, 'url');
			const changes = { name, url, status, eventTypes };
			const now = clock.now();
			const edited = await endpoints.change(tenant, id, (record) => changed(record, changes, now));
			return toEndpoint(requireEndpoint(edited));
		},
	});
}

/** The type of the bus event for a deleted endpoint. Every process aborts its requests to the endpoint. */
export const endpointDeleted = 'webhooks.endpoint_deleted';

function deleteEndpoint(context: WebhookContext): Route {
	const { endpoints, deliveries, events, log } = context;
	return defineRoute({
		method: 'DELETE',
		path: '/v1/webhook_endpoints/{id}',
		scope: 'webhooks:write',
		summary: 'Delete a webhook endpoint',
		description: 'Its pending deliveries are cancelled.',
		params: endpointParams,
		response: { description: 'The endpoint was deleted.', schema: endpointDeletedSchema },
		errors: [notFound, unavailable],
		async handler({ params: { id } }, { principal }) {
			const { tenant } = principal;
			const isDeleted = await endpoints.remove(tenant, id);
			if (!isDeleted) throw errorFrom(webhookErrors, 'E_WEBHOOK_ENDPOINT_NOT_FOUND');
			events.publish({ type: endpointDeleted, tenant, subject: id, data: null });
			// In the background: deliveries that are missed are cancelled when they are due.
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
		description: 'Only this response contains the new secret.',
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
			return toEndpointWithSecret(requireEndpoint(edited));
		},
	});
}

function listEventTypes(context: WebhookContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/webhook_event_types',
		scope: 'webhooks:read',
		summary: 'List the types of webhook events',
		response: { description: 'The event types that endpoints can subscribe to.', schema: eventTypeListSchema },
		errors: [],
		handler() {
			return { object: 'list', data: knownTypes(context) };
		},
	});
}
