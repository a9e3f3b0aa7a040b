import { type Clock, definePlugin, invalidValue, services } from '@plinth/core';
import { Egress, type JobCallbacks, mediaServices } from '@plinth/toolkit';
import { Consumer } from './consumer.ts';
import { Deliveries } from './deliveries.ts';
import { DeliveryJobs, deliveryKinds } from './delivery-jobs.ts';
import { Endpoints } from './endpoints.ts';
import { type Schedule, webhookOptions } from './options.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { endpointDeleted, endpointRoutes } from './routes/endpoints.ts';
import { maxUrlLength } from './routes/schemas.ts';
import { testEndpoint } from './routes/test.ts';
import { isSecret } from './secrets.ts';

const consumeEveryMs = 1_000;
const purgeEveryMs = 60_000;
const privateWarning =
	'webhooks may go to private networks and over plain http (allowPrivate): clients can reach whatever this server can';

/** Makes the plugin. Tests replace the egress, which the plugin closes when it stops, and the schedule. */
export function webhooksThrough(createEgress: (allowPrivate: boolean) => Egress, overrides: Partial<Schedule> = {}) {
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
		setup({ config: { allowPrivate, retrySeconds }, services: coreServices, route, job, duty, onStart, onStop, log }) {
			const { jobs, records, events, kinds, clock } = coreServices;
			const egress = createEgress(allowPrivate);
			const endpoints = new Endpoints(records, clock);
			const deliveries = new Deliveries(records, clock);
			const schedule = { waits: retrySeconds, random: Math.random, ...overrides };
			const context = { jobs, records, events, kinds, clock, log, egress, schedule, endpoints, deliveries };
			const deliveryJobs = new DeliveryJobs(context, job);
			const consumer = new Consumer(context, deliveryJobs);
			const consumerLoop = repeating(clock, consumeEveryMs, (signal) => consumer.processNew(signal));
			duty('events', consumerLoop.run);
			duty('purge', repeating(clock, purgeEveryMs, (signal) => deliveries.purge(signal)).run);
			route(...endpointRoutes(context), testEndpoint(context), ...deliveryRoutes(context, deliveryJobs));
			const subscriptions: (() => void)[] = [];
			onStart(() => {
				if (allowPrivate) log.warn({}, privateWarning);
				for (const type of ['job.completed', 'job.failed']) {
					subscriptions.push(events.subscribe({ type }, consumerLoop.wake));
				}
				subscriptions.push(events.subscribe({ type: endpointDeleted }, ({ subject }) => deliveryJobs.abort(subject)));
			});
			onStop(async () => {
				for (const unsubscribe of subscriptions) unsubscribe();
				await egress.close();
			});
			return jobCallbacks(egress);
		},
	});
}

/** Sends a signed request when a job ends, to the endpoints of its tenant and to its callback. */
export const webhooks = webhooksThrough(
	(allowPrivate) => new Egress(allowPrivate ? { allowHttp: true, isAllowed: () => true } : {}),
);

function jobCallbacks(egress: Egress): JobCallbacks {
	return {
		async check({ url, secret }) {
			if (url.length > maxUrlLength) {
				throw invalidValue('callback_url', `callback_url: expected at most ${maxUrlLength} characters.`);
			}
			if (secret !== null && !isSecret(secret)) {
				throw invalidValue('callback_secret', 'callback_secret: expected whsec_ followed by base64 of 24 to 64 bytes.');
			}
			await egress.check(url, 'callback_url');
		},
	};
}

/** Calls `round` again `everyMs` after the last call has ended, or sooner when `wake` is called. */
function repeating(clock: Clock, everyMs: number, round: (signal: AbortSignal) => Promise<void>) {
	let woken = Promise.withResolvers<void>();
	return {
		async run(signal: AbortSignal): Promise<void> {
			const wake = () => woken.resolve();
			signal.addEventListener('abort', wake, { once: true });
			while (!signal.aborted) {
				woken = Promise.withResolvers();
				await round(signal);
				if (signal.aborted) return;
				const cancelTimer = clock.after(everyMs, wake);
				await woken.promise;
				cancelTimer();
			}
		},
		wake: () => woken.resolve(),
	};
}
