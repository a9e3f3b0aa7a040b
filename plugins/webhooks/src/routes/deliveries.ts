import { defineRoute, errorFrom, errors, invalidValue, type Route } from '@plinth/core';
import { listPage } from '@plinth/toolkit';
import type { WebhookContext } from '../context.ts';
import type { Delivery } from '../deliveries/record.ts';
import { webhookErrors } from '../errors.ts';
import { deliveryParams, deliveryQuery } from '../fields.ts';
import { isDeliveryId, isEndpointId } from '../ids.ts';
import { deliveryListSchema, deliverySchema, toDelivery } from '../wire.ts';

const { E_WEBHOOK_DELIVERY_NOT_FOUND: notFound } = webhookErrors;
const { E_STORE_UNAVAILABLE: unavailable, E_STORE_FULL: full } = errors;

/** `GET /v1/webhook_deliveries`: a page, those of the newest events first. `after` is a position and need not exist. */
export function listDeliveries({ deliveries }: WebhookContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/webhook_deliveries',
		scope: 'webhooks:read',
		summary: 'List webhook deliveries',
		description: 'What is sent and was sent. Deliveries are deleted seven days after their end.',
		query: deliveryQuery,
		response: { description: 'One page of deliveries.', schema: deliveryListSchema },
		errors: [
			errors.E_VALUE_INVALID,
			errors.E_VALUE_TYPE,
			errors.E_INTEGER_TOO_LARGE,
			errors.E_INTEGER_TOO_SMALL,
			unavailable,
		],
		async handler({ query }, { principal }) {
			const { limit, webhook_endpoint_id: endpointId } = query;
			const after = query.after || undefined;
			if (after !== undefined && !isDeliveryId(after)) {
				throw invalidValue('after', 'after must be the id of a webhook delivery.');
			}
			if (endpointId !== undefined && !isEndpointId(endpointId)) {
				throw invalidValue('webhook_endpoint_id', 'webhook_endpoint_id must be the id of a webhook endpoint.');
			}
			const page = await deliveries.list(principal.tenant, { endpointId, after, limit });
			return listPage(page.deliveries.map(toDelivery), page.hasMore);
		},
	});
}

/** `GET /v1/webhook_deliveries/{id}`. */
export function getDelivery({ deliveries }: WebhookContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/webhook_deliveries/{id}',
		scope: 'webhooks:read',
		summary: 'Get a webhook delivery',
		params: deliveryParams,
		response: { description: 'The delivery and its attempts.', schema: deliverySchema },
		errors: [notFound, unavailable],
		async handler({ params: { id } }, { principal }) {
			return toDelivery(known(await deliveries.find(principal.tenant, id)));
		},
	});
}

/**
 * `POST /v1/webhook_deliveries/{id}/resend`: the same event with the same id, at once and with the whole schedule
 * before it.
 */
export function resendDelivery(context: WebhookContext): Route {
	const { deliveries, endpoints, deliveryJobs, clock } = context;
	return defineRoute({
		method: 'POST',
		path: '/v1/webhook_deliveries/{id}/resend',
		scope: 'webhooks:write',
		summary: 'Send a webhook delivery again',
		params: deliveryParams,
		response: { description: 'The delivery, which is pending again.', schema: deliverySchema },
		errors: [
			notFound,
			webhookErrors.E_WEBHOOK_ENDPOINT_DELETED,
			webhookErrors.E_WEBHOOK_ENDPOINT_DISABLED,
			unavailable,
			full,
		],
		async handler({ params: { id } }, { principal: { tenant } }) {
			const delivery = known(await deliveries.find(tenant, id));
			const { endpointId } = delivery;
			if (endpointId !== null) {
				const endpoint = await endpoints.find(tenant, endpointId);
				if (!endpoint) throw errorFrom(webhookErrors, 'E_WEBHOOK_ENDPOINT_DELETED');
				if (endpoint.disabled) throw errorFrom(webhookErrors, 'E_WEBHOOK_ENDPOINT_DISABLED');
			}
			const again = { ...delivery, run: delivery.run + 1 };
			// The job first: it makes the delivery pending itself when this process dies before the next line.
			await deliveryJobs.submit(again);
			await deliveries.begin(again);
			// As it was then: the attempt may be over already.
			return toDelivery({ ...again, status: 'pending', nextAttemptAt: clock.now() });
		},
	});
}

function known(delivery: Delivery | null): Delivery {
	if (!delivery) throw errorFrom(webhookErrors, 'E_WEBHOOK_DELIVERY_NOT_FOUND');
	return delivery;
}
