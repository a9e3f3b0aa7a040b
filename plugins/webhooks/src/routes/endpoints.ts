import { defineRoute, errorFrom, errors, invalidValue, type Route, valueErrors } from '@plinth/core';
import { listPage } from '@plinth/toolkit';
import { checkedTypes, found, type WebhookContext } from '../context.ts';
import { changed } from '../endpoints/record.ts';
import { webhookErrors } from '../errors.ts';
import { createBody, endpointParams, endpointQuery, updateBody } from '../fields.ts';
import { isEndpointId } from '../ids.ts';
import {
	endpointDeletedSchema,
	endpointListSchema,
	endpointSchema,
	endpointWithSecretSchema,
	toEndpoint,
	toEndpointWithSecret,
} from '../wire.ts';

const { E_WEBHOOK_ENDPOINT_NOT_FOUND: notFound } = webhookErrors;
const { E_STORE_UNAVAILABLE: unavailable, E_STORE_FULL: full } = errors;

/** `POST /v1/webhook_endpoints`: the address is resolved and looked at before it is stored. */
export function createEndpoint(context: WebhookContext): Route {
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

/** `GET /v1/webhook_endpoints`: a page, the newest first. `after` is a position and need not exist. */
export function listEndpoints({ endpoints }: WebhookContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/webhook_endpoints',
		scope: 'webhooks:read',
		summary: 'List webhook endpoints',
		query: endpointQuery,
		response: { description: 'One page of endpoints.', schema: endpointListSchema },
		errors: [
			errors.E_VALUE_INVALID,
			errors.E_VALUE_TYPE,
			errors.E_INTEGER_TOO_LARGE,
			errors.E_INTEGER_TOO_SMALL,
			unavailable,
		],
		async handler({ query: { after: position, limit } }, { principal }) {
			// The SDK spells null as nothing.
			const after = position || undefined;
			if (after !== undefined && !isEndpointId(after)) {
				throw invalidValue('after', 'after must be the id of a webhook endpoint.');
			}
			const all = await endpoints.list(principal.tenant);
			const rest = all.filter(({ id }) => after === undefined || id < after);
			return listPage(rest.slice(0, limit).map(toEndpoint), rest.length > limit);
		},
	});
}

/** `GET /v1/webhook_endpoints/{id}`. */
export function getEndpoint({ endpoints }: WebhookContext): Route {
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

/** `POST /v1/webhook_endpoints/{id}`: what the body leaves out stays. Another address is looked at like a new one. */
export function updateEndpoint(context: WebhookContext): Route {
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

/** `DELETE /v1/webhook_endpoints/{id}`: nothing is sent to it from now on. */
export function deleteEndpoint(context: WebhookContext): Route {
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
