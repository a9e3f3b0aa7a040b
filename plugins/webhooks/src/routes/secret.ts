import { defineRoute, errors, type Route } from '@plinth/core';
import { found, type WebhookContext } from '../context.ts';
import { rotated } from '../endpoints/record.ts';
import { webhookErrors } from '../errors.ts';
import { endpointParams, rotateBody } from '../fields.ts';
import { makeSecret } from '../secrets.ts';
import { endpointWithSecretSchema, toEndpointWithSecret } from '../wire.ts';

/** `POST /v1/webhook_endpoints/{id}/rotate_secret`. */
export function rotateSecret({ endpoints, clock }: WebhookContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/v1/webhook_endpoints/{id}/rotate_secret',
		scope: 'webhooks:write',
		summary: 'Replace the secret of a webhook endpoint',
		description: 'The new secret is shown in this answer alone.',
		params: endpointParams,
		body: rotateBody,
		response: { description: 'The endpoint and its new secret.', schema: endpointWithSecretSchema },
		errors: [
			errors.E_VALUE_TYPE,
			webhookErrors.E_WEBHOOK_ENDPOINT_NOT_FOUND,
			errors.E_STORE_UNAVAILABLE,
			errors.E_STORE_FULL,
		],
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
