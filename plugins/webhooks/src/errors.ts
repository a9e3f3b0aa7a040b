import { defineErrors } from '@plinth/core';

const notFound = { status: 404, type: 'invalid_request_error' } as const;
const badRequest = { status: 400, type: 'invalid_request_error' } as const;

/** Errors of the webhooks plugin. Unknown ids, malformed ids and those of other tenants get the same error. */
export const webhookErrors = defineErrors({
	E_WEBHOOK_ENDPOINT_NOT_FOUND: {
		...notFound,
		code: 'webhook_endpoint_not_found',
		message: 'There is no such webhook endpoint.',
	},
	E_WEBHOOK_DELIVERY_NOT_FOUND: {
		...notFound,
		code: 'webhook_delivery_not_found',
		message: 'There is no such webhook delivery.',
	},
	E_WEBHOOK_ENDPOINTS_FULL: {
		...badRequest,
		code: 'too_many_webhook_endpoints',
		message: 'There are 100 webhook endpoints already, and no more are allowed.',
		remedy: 'Delete one that is not needed.',
	},
	E_WEBHOOK_UNREACHABLE: { ...badRequest, code: 'webhook_unreachable', message: 'The receiver cannot be reached.' },
	E_WEBHOOK_ENDPOINT_DELETED: {
		...badRequest,
		code: 'webhook_endpoint_deleted',
		message: 'The webhook endpoint of this delivery was deleted, so it cannot be sent again.',
	},
	E_WEBHOOK_ENDPOINT_DISABLED: {
		...badRequest,
		code: 'webhook_endpoint_disabled',
		message: 'The webhook endpoint of this delivery is disabled.',
		remedy: 'Update the endpoint with the status "enabled", then send the delivery again.',
	},
});
