import { definePlugin, services } from '@plinth/core';
import { Egress, mediaServices } from '@plinth/toolkit';
import { jobCallbacks } from './callbacks.ts';
import type { WebhookContext } from './context.ts';
import { Machine } from './delivery/machine.ts';
import { webhookOptions } from './options.ts';
import { getDelivery, listDeliveries, resendDelivery } from './routes/deliveries.ts';
import {
	createEndpoint,
	deleteEndpoint,
	getEndpoint,
	listEndpoints,
	updateEndpoint,
} from './routes/endpoints.ts';
import { listEventTypes } from './routes/event-types.ts';
import { rotateSecret } from './routes/secret.ts';
import { testEndpoint } from './routes/test.ts';

/** Makes the plugin with a way out to receivers, which it closes when it stops: tests name hosts that no resolver knows. */
export function webhooksThrough(wayOut: (allowPrivate: boolean) => Egress) {
	return definePlugin({
		id: 'webhooks',
		config: webhookOptions,
		needs: {
			jobs: services.jobs,
			records: services.records,
			events: services.events,
			kinds: services.jobKinds,
			clock: services.clock,
		},
		provides: mediaServices.callbacks,
		setup({ config: options, services: found, route, onStart, onStop, log }) {
			const { jobs, records, events, kinds, clock } = found;
			const { allowPrivate, retrySeconds: waits } = options;
			const egress = wayOut(allowPrivate);
			const schedule = { waits, random: Math.random };
			const machine = new Machine({ jobs, records, egress, schedule, clock, log });
			const context: WebhookContext = { ...partsOf(machine), egress, kinds, clock };
			route(
				createEndpoint(context),
				listEndpoints(context),
				getEndpoint(context),
				updateEndpoint(context),
				deleteEndpoint(context),
				rotateSecret(context),
				testEndpoint(context),
				listEventTypes(context),
				listDeliveries(context),
				getDelivery(context),
				resendDelivery(context),
			);
			const subscriptions: (() => void)[] = [];
			onStart(() => {
				if (allowPrivate) {
					log.warn(
						{},
						'webhooks may go to private networks and over plain http (allowPrivate): clients can reach whatever this server can',
					);
				}
				for (const type of ['job.completed', 'job.failed']) {
					subscriptions.push(events.subscribe({ type }, () => machine.consumer.wake()));
				}
				machine.start();
			});
			onStop(async () => {
				for (const end of subscriptions) end();
				await machine.stop();
				await egress.close();
			});
			return jobCallbacks(egress);
		},
	});
}

/** Signed requests about the ends of jobs, to endpoints under `/v1/webhook_endpoints` and to the callbacks that jobs name. */
export const webhooks = webhooksThrough(
	(allowPrivate) => new Egress(allowPrivate ? { allowHttp: true, isAllowed: () => true } : {}),
);

function partsOf({ endpoints, deliveries, dispatcher, sender }: Machine) {
	return { endpoints, deliveries, dispatcher, sender };
}
