import { definePlugin, services } from '@plinth/core';
import { Egress, mediaServices } from '@plinth/toolkit';
import { jobCallbacks } from './callbacks.ts';
import { Deliveries } from './deliveries/store.ts';
import { Endpoints } from './endpoints/store.ts';
import { webhookOptions } from './options.ts';
import { Rounds } from './rounds.ts';
import { getDelivery, listDeliveries, resendDelivery } from './routes/deliveries.ts';
import {
	createEndpoint,
	deleteEndpoint,
	endpointDeleted,
	getEndpoint,
	listEndpoints,
	updateEndpoint,
} from './routes/endpoints.ts';
import { listEventTypes } from './routes/event-types.ts';
import { rotateSecret } from './routes/secret.ts';
import { testEndpoint } from './routes/test.ts';
import { Consumer } from './sending/consumer.ts';
import { DeliveryJobs, deliveryKinds } from './sending/delivery-jobs.ts';
import type { Schedule } from './sending/schedule.ts';
import { Sender } from './sending/sender.ts';

const consumeEveryMs = 1_000;
const purgeEveryMs = 60_000;

/**
 * Makes the plugin with an egress to receivers, which it closes when it stops: tests name hosts that no resolver knows,
 * and fix the schedule.
 */
export function webhooksThrough(createEgress: (allowPrivate: boolean) => Egress, fixed: Partial<Schedule> = {}) {
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
		jobs: deliveryKinds,
		provides: mediaServices.callbacks,
		setup({ config: options, services: found, route, job, duty, onStart, onStop, log }) {
			const { jobs, records, events, kinds, clock } = found;
			const { allowPrivate, retrySeconds: waits } = options;
			const egress = createEgress(allowPrivate);
			const endpoints = new Endpoints(records, clock);
			const deliveries = new Deliveries(records, clock);
			const sender = new Sender(egress, clock);
			const schedule = { waits, random: Math.random, ...fixed };
			const tools = { jobs, records, endpoints, deliveries, sender, schedule, clock, log };
			const deliveryJobs = new DeliveryJobs(tools, job);
			const consumer = new Consumer({ ...tools, deliveryJobs });
			const consuming = new Rounds(clock, consumeEveryMs, (signal) => consumer.round(signal));
			const purging = new Rounds(clock, purgeEveryMs, (signal) => deliveries.purge(signal));
			duty('events', (signal) => consuming.run(signal));
			duty('purge', (signal) => purging.run(signal));
			const context = {
				endpoints,
				deliveries,
				deliveryJobs,
				sender,
				egress,
				events,
				kinds,
				clock,
				log,
			};
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
						'webhooks may go to private networks and over plain http (allowPrivate): ' +
							'clients can reach whatever this server can',
					);
				}
				for (const type of ['job.completed', 'job.failed']) {
					subscriptions.push(events.subscribe({ type }, () => consuming.wake()));
				}
				subscriptions.push(events.subscribe({ type: endpointDeleted }, ({ subject }) => deliveryJobs.abort(subject)));
			});
			onStop(async () => {
				for (const end of subscriptions) end();
				await egress.close();
			});
			return jobCallbacks(egress);
		},
	});
}

/**
 * Signed requests about the ends of jobs, to endpoints under `/v1/webhook_endpoints` and to the callbacks that jobs
 * name.
 */
export const webhooks = webhooksThrough(
	(allowPrivate) => new Egress(allowPrivate ? { allowHttp: true, isAllowed: () => true } : {}),
);
