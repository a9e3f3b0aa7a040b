import { defineRoute, errorFrom, errors, type Route } from '@plinth/core';
import { listErrors, listPage } from '@plinth/toolkit';
import type { WebhookContext } from '../context.ts';
import type { Delivery } from '../deliveries.ts';
import type { DeliveryJobs } from '../delivery-jobs.ts';
import { webhookErrors } from '../errors.ts';
import { deliveryListSchema, deliveryParams, deliveryQuery, deliverySchema, toDelivery } from './schemas.ts';

const { E_WEBHOOK_DELIVERY_NOT_FOUND: notFound } = webhookErrors;
const { E_STORE_UNAVAILABLE: unavailable, E_STORE_FULL: full } = errors;

/** The routes under `/v1/webhook_deliveries`. */
export function deliveryRoutes(context: WebhookContext, deliveryJobs: DeliveryJobs): readonly Route[] {
	return [listDeliveries(context), getDelivery(context), resendDelivery(context, deliveryJobs)];
}

function listDeliveries({ deliveries }: WebhookContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/webhook_deliveries',
		scope: 'webhooks:read',
		summary: 'List webhook deliveries',
		description: 'Pending and ended deliveries. Deliveries are deleted seven days after their end.',
		query: deliveryQuery,
		response: { description: 'One page of deliveries.', schema: deliveryListSchema },
		errors: listErrors,
		async handler({ query: { after, limit, webhook_endpoint_id: endpointId } }, { principal }) {
			const page = await deliveries.list(principal.tenant, { endpointId, after, limit });
			return listPage(page.deliveries.map(toDelivery), page.hasMore);
		},
	});
}

function getDelivery({ deliveries }: WebhookContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/webhook_deliveries/{id}',
		scope: 'webhooks:read',
		summary: 'Get a webhook delivery',
		params: deliveryParams,
		response: { description: 'The delivery and its attempts.', schema: deliverySchema },
		errors: [notFound, unavailable],
		async handler({ params: { id } }, { principal }) {
			return toDelivery(requireDelivery(await deliveries.find(principal.tenant, id)));
		},
	});
}

function resendDelivery({ deliveries, endpoints, clock }: WebhookContext, deliveryJobs: DeliveryJobs): Route {
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
			const delivery = requireDelivery(await deliveries.find(tenant, id));
			const { endpointId } = delivery;
			if (endpointId !== null) {
				const endpoint = await endpoints.find(tenant, endpointId);
				if (!endpoint) throw errorFrom(webhookErrors, 'E_WEBHOOK_ENDPOINT_DELETED');
				if (endpoint.disabled) throw errorFrom(webhookErrors, 'E_WEBHOOK_ENDPOINT_DISABLED');
			}
			const nextRun = { ...delivery, run: delivery.run + 1 };
			// The job first: it makes the delivery pending itself if this process stops before the next line.
			await deliveryJobs.submit(nextRun);
			await deliveries.begin(nextRun);
			// The state before the attempt, which may have ended already.
			return toDelivery({ ...nextRun, status: 'pending', nextAttemptAt: clock.now() });
		},
	});
}

function requireDelivery(delivery: Delivery | null): Delivery {
	if (!delivery) throw errorFrom(webhookErrors, 'E_WEBHOOK_DELIVERY_NOT_FOUND');
	return delivery;
}
