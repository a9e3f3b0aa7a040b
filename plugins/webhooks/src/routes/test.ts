import { randomBytes } from 'node:crypto';
import { defineRoute, errorFrom, errors, type Route, valueErrors } from '@plinth/core';
import { PerTenantLimit } from '@plinth/toolkit';
import { checkType, requireEndpoint, type WebhookContext } from '../context.ts';
import { activeSecrets } from '../endpoints.ts';
import { webhookErrors } from '../errors.ts';
import type { WebhookEvent } from '../event.ts';
import { type Sent, sendEvent } from '../sender.ts';
import { endpointParams, testBody, testResultSchema } from './schemas.ts';

/** Concurrent samples of a tenant; further ones wait. */
const samplesAtOnce = 4;

/** `POST /v1/webhook_endpoints/{id}/test`: sends one request, also to a disabled endpoint. No delivery is stored. */
export function testEndpoint(context: WebhookContext): Route {
	const { endpoints, egress, clock } = context;
	const sampleLimit = new PerTenantLimit(samplesAtOnce);
	return defineRoute({
		method: 'POST',
		path: '/v1/webhook_endpoints/{id}/test',
		scope: 'webhooks:write',
		summary: 'Send a sample event',
		params: endpointParams,
		body: testBody,
		response: { description: 'The receiver has answered.', schema: testResultSchema },
		errors: [
			...valueErrors,
			webhookErrors.E_WEBHOOK_UNREACHABLE,
			webhookErrors.E_WEBHOOK_ENDPOINT_NOT_FOUND,
			errors.E_STORE_UNAVAILABLE,
		],
		timeoutMs: 30_000,
		async handler({ params: { id }, body: { event_type: type } }, { principal, signal }) {
			const endpoint = requireEndpoint(await endpoints.find(principal.tenant, id));
			checkType(context, type, 'event_type');
			const now = clock.now();
			const message = { url: endpoint.url, event: sample(type, now), secrets: activeSecrets(endpoint, now) };
			const sent = await sampleLimit.map(principal.tenant, [message], signal, (each) =>
				sendEvent(egress, clock, each, signal),
			);
			const { attempt } = sent[0] as Sent;
			if (attempt.statusCode === null) {
				const message = `The receiver cannot be reached: ${attempt.failure}.`;
				throw errorFrom(webhookErrors, 'E_WEBHOOK_UNREACHABLE', { message });
			}
			return {
				object: 'webhook_endpoint.test',
				webhook_endpoint_id: id,
				event_type: type,
				status_code: attempt.statusCode,
				success: true,
			};
		},
	});
}

/** An event about a job that does not exist. Each has a new id, so that no receiver treats it as a repeat. */
function sample(type: string, at: number): WebhookEvent {
	const [kind = ''] = type.split('.');
	const id = `evt_${randomBytes(16).toString('hex')}`;
	return { id, type, jobId: `${kind}_${'0'.repeat(44)}`, at };
}
