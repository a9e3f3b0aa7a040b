import { codePoints } from '@plinth/core';
import { formInteger } from '@plinth/toolkit';
import { z } from 'zod';
import { deliveryIdForm, endpointIdForm } from './ids.ts';

/** The longest address, in characters. */
export const maxUrlLength = 2_048;

const name = codePoints({ min: 1, max: 256 }).meta({ description: 'What people call it.' });

const url = codePoints({ min: 1, max: maxUrlLength }).meta({
	description: 'Where events are sent: https, and a host of the public internet.',
	examples: ['https://example.com/webhooks'],
});

// Which types there are follows from the plugins of the server: the handler knows.
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

/** The body of `POST /v1/webhook_endpoints/{id}`. What is absent stays. */
export const updateBody = z
	.object({
		name: name.optional(),
		url: url.optional(),
		event_types: eventTypes.optional(),
		status: z.literal('enabled').optional().meta({
			description: 'Sends events again to an endpoint that the server has disabled.',
		}),
	})
	.meta({ id: 'WebhookEndpointUpdate', examples: [{ name: 'Renders of the night' }] });

/** The body of `POST /v1/webhook_endpoints/{id}/rotate_secret`. */
export const rotateBody = z
	.object({
		keep_old_secret_active_for_24_hours: z.boolean().default(false).meta({
			description: 'Signs with the old secret too for 24 hours; otherwise it is over at once.',
		}),
	})
	.meta({
		id: 'WebhookSecretRotate',
		examples: [{ keep_old_secret_active_for_24_hours: true }],
	});

/** The body of `POST /v1/webhook_endpoints/{id}/test`. */
export const testBody = z
	.object({
		event_type: codePoints({ min: 1, max: 256 }).meta({ description: 'Which event is sent.' }),
	})
	.meta({ id: 'WebhookEndpointTest', examples: [{ event_type: 'video.completed' }] });

/** The path parameter of one endpoint. Malformed ids are not refused here: they answer like unknown ones. */
export const endpointParams = z.object({
	id: z.string().meta({ description: 'The id of a webhook endpoint.', ...endpointIdForm }),
});

/** The path parameter of one delivery. */
export const deliveryParams = z.object({
	id: z.string().meta({ description: 'The id of a webhook delivery.', ...deliveryIdForm }),
});

const after = z.string().optional();
const afterText = 'The list starts behind this id, which need not exist any more.';
const limit = formInteger({ min: 1, max: 100 })
	.default(20)
	.meta({ description: 'Objects on a page.', override: { default: 20 } });

/** The query of `GET /v1/webhook_endpoints`. */
export const endpointQuery = z.object({
	after: after.meta({ description: afterText, ...endpointIdForm }),
	limit,
});

/** The query of `GET /v1/webhook_deliveries`. */
export const deliveryQuery = z.object({
	after: after.meta({ description: afterText, ...deliveryIdForm }),
	limit,
	webhook_endpoint_id: z
		.string()
		.optional()
		.meta({ description: 'Only what was sent to this endpoint.', ...endpointIdForm }),
});
