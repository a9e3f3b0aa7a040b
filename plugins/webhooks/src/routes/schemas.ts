import { codePoints } from '@plinth/core';
import { idField, listPageSchema, pageFields } from '@plinth/toolkit';
import { z } from 'zod';
import type { Delivery } from '../deliveries.ts';
import type { Endpoint } from '../endpoints.ts';
import { deliveryIdForm, endpointIdForm } from '../ids.ts';
import { secretHint } from '../secrets.ts';

/** Maximum length of a URL, in characters. */
export const maxUrlLength = 2_048;

const name = codePoints({ min: 1, max: 256 }).meta({ description: 'A display name.' });

const url = codePoints({ min: 1, max: maxUrlLength }).meta({
	description: 'Where events are sent: https, and a host of the public internet.',
	examples: ['https://example.com/webhooks'],
});

// The types depend on the plugins of the server, so the handler checks them.
const eventTypes = z
	.array(codePoints({ min: 1, max: 256 }))
	.min(1)
	.max(256)
	.meta({
		description: 'Which events are sent; GET /v1/webhook_event_types lists them.',
		examples: [['video.completed', 'video.failed']],
	});

/** The body of `POST /v1/webhook_endpoints`. */
export const createBody = z.object({ name, url, event_types: eventTypes }).meta({
	id: 'WebhookEndpointCreate',
	examples: [{ name: 'Renders', url: 'https://example.com/webhooks', event_types: ['video.completed'] }],
});

/** The body of `POST /v1/webhook_endpoints/{id}`. Absent fields stay unchanged. */
export const updateBody = z
	.object({
		name: name.optional(),
		url: url.optional(),
		event_types: eventTypes.optional(),
		status: z
			.literal('enabled')
			.optional()
			.meta({ description: 'Sends events again to an endpoint that the server has disabled.' }),
	})
	.meta({ id: 'WebhookEndpointUpdate', examples: [{ name: 'Renders of the night' }] });

/** The body of `POST /v1/webhook_endpoints/{id}/rotate_secret`. */
export const rotateBody = z
	.object({
		keep_old_secret_active_for_24_hours: z
			.boolean()
			.default(false)
			.meta({ description: 'Signs with the old secret too for 24 hours; otherwise it expires immediately.' }),
	})
	.meta({ id: 'WebhookSecretRotate', examples: [{ keep_old_secret_active_for_24_hours: true }] });

/** The body of `POST /v1/webhook_endpoints/{id}/test`. */
export const testBody = z
	.object({ event_type: codePoints({ min: 1, max: 256 }).meta({ description: 'Which event is sent.' }) })
	.meta({ id: 'WebhookEndpointTest', examples: [{ event_type: 'video.completed' }] });

/** The path parameter of one endpoint. Malformed ids are not refused here: they get the 404 of unknown ones. */
export const endpointParams = z.object({
	id: z.string().meta({ description: 'The id of a webhook endpoint.', ...endpointIdForm }),
});

/** The path parameter of one delivery. */
export const deliveryParams = z.object({
	id: z.string().meta({ description: 'The id of a webhook delivery.', ...deliveryIdForm }),
});

const page = { min: 1, max: 100, fallback: 20, description: 'Objects on a page.' };

/** The query of `GET /v1/webhook_endpoints`. */
export const endpointQuery = z.object(pageFields('a webhook endpoint', endpointIdForm, page));

/** The query of `GET /v1/webhook_deliveries`. */
export const deliveryQuery = z.object({
	...pageFields('a webhook delivery', deliveryIdForm, page),
	webhook_endpoint_id: idField('a webhook endpoint', endpointIdForm, 'Only deliveries to this endpoint.'),
});

const unixSeconds = z.int().min(0).meta({ description: 'Unix seconds.' });
const endpointId = z.string().meta({ ...endpointIdForm });
const deliveryId = z.string().meta({ ...deliveryIdForm });

const endpointShape = {
	id: endpointId,
	object: z.literal('webhook_endpoint'),
	name: z.string(),
	url: z.string(),
	event_types: z.array(z.string()),
	created_at: unixSeconds,
	updated_at: unixSeconds.meta({
		description: 'Unix seconds of the last change of the configuration or of the secret.',
	}),
	signing_secret_hint: z.string().meta({ description: 'The last four characters of the secret.' }),
	status: z.enum(['enabled', 'disabled']),
	disabled_reason: z
		.enum(['gone', 'failing'])
		.nullable()
		.meta({ description: '`gone`: the receiver answered 410. `failing`: it failed for five days.' }),
	disabled_at: unixSeconds.nullable(),
};

/** The endpoint object: OpenAI's, and whether the server still sends to it. */
export const endpointSchema = z.object(endpointShape).meta({ id: 'WebhookEndpoint' });

/** An endpoint with its secret, for the responses that create one. */
export const endpointWithSecretSchema = z
	.object({ ...endpointShape, signing_secret: z.string().meta({ description: 'Shown only once: store it.' }) })
	.meta({ id: 'WebhookEndpointWithSecret' });

/** One page of endpoints, the newest first. */
export const endpointListSchema = listPageSchema(endpointSchema, endpointId, 'WebhookEndpointList');

/** The response to the deletion of an endpoint. */
export const endpointDeletedSchema = z
	.object({ id: z.string(), object: z.literal('webhook_endpoint.deleted'), deleted: z.literal(true) })
	.meta({ id: 'WebhookEndpointDeleted' });

/** The response to a test. */
export const testResultSchema = z
	.object({
		object: z.literal('webhook_endpoint.test'),
		webhook_endpoint_id: endpointId,
		event_type: z.string(),
		status_code: z.int().meta({ description: 'The status of the receiver, also when it is an error.' }),
		success: z.literal(true),
	})
	.meta({ id: 'WebhookEndpointTestResult' });

/** The types of events that this server sends. */
export const eventTypeListSchema = z
	.object({ object: z.literal('list'), data: z.array(z.string()) })
	.meta({ id: 'WebhookEventTypeList' });

/** A delivery: one event for one receiver. */
export const deliverySchema = z
	.object({
		id: deliveryId,
		object: z.literal('webhook_delivery'),
		webhook_endpoint_id: endpointId.nullable().meta({ description: 'Null for the callback of a job.' }),
		url: z.string(),
		event_id: z.string().meta({ description: 'The header `webhook-id` of every attempt.' }),
		event_type: z.string(),
		job_id: z.string(),
		status: z.enum(['pending', 'delivered', 'failed', 'cancelled']),
		created_at: unixSeconds,
		next_attempt_at: unixSeconds.nullable(),
		attempts: z
			.array(
				z.object({
					at: unixSeconds,
					status_code: z.int().nullable(),
					failure: z.string().nullable(),
					duration_ms: z.int().min(0),
				}),
			)
			.meta({ description: 'The latest 50, the oldest of them first.' }),
	})
	.meta({ id: 'WebhookDelivery' });

/** One page of deliveries, those of the newest events first. */
export const deliveryListSchema = listPageSchema(deliverySchema, deliveryId, 'WebhookDeliveryList');

/** The wire object of an endpoint, without its secret. */
export function toEndpoint(endpoint: Endpoint): z.infer<typeof endpointSchema> {
	const { disabled } = endpoint;
	return {
		id: endpoint.id,
		object: 'webhook_endpoint',
		name: endpoint.name,
		url: endpoint.url,
		event_types: [...endpoint.eventTypes],
		created_at: toSeconds(endpoint.createdAt),
		updated_at: toSeconds(endpoint.updatedAt),
		signing_secret_hint: secretHint(endpoint.secret),
		status: disabled ? 'disabled' : 'enabled',
		disabled_reason: disabled?.reason ?? null,
		disabled_at: disabled ? toSeconds(disabled.at) : null,
	};
}

/** The wire object of an endpoint with its secret. */
export function toEndpointWithSecret(endpoint: Endpoint): z.infer<typeof endpointWithSecretSchema> {
	return { ...toEndpoint(endpoint), signing_secret: endpoint.secret };
}

/** The wire object of a delivery. */
export function toDelivery(delivery: Delivery): z.infer<typeof deliverySchema> {
	const { event, status, nextAttemptAt } = delivery;
	return {
		id: delivery.id,
		object: 'webhook_delivery',
		webhook_endpoint_id: delivery.endpointId,
		url: delivery.url,
		event_id: event.id,
		event_type: event.type,
		job_id: event.jobId,
		status,
		created_at: toSeconds(delivery.createdAt),
		next_attempt_at: status === 'pending' ? toSeconds(nextAttemptAt) : null,
		attempts: delivery.attempts.map(({ at, statusCode, failure, durationMs }) => ({
			at: toSeconds(at),
			status_code: statusCode,
			failure,
			duration_ms: Math.round(durationMs),
		})),
	};
}

function toSeconds(ms: number): number {
	return Math.floor(ms / 1000);
}
