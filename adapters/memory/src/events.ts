import { type BusEvent, type BusFilter, defineBackend, type EventBus, services } from '@plinth/core';
import { z } from 'zod';

/** An event bus inside one process. */
export const memoryEvents = defineBackend({
	name: 'memoryEvents',
	provides: services.events,
	config: z.strictObject({}),
	create: ({ log }): EventBus => {
		const subscriptions = new Set<Subscription>();
		return {
			publish(event) {
				for (const subscription of [...subscriptions]) {
					if (!matches(subscription.filter, event)) continue;
					// Not in the publisher's call: a slow or throwing handler must not reach it.
					queueMicrotask(() => {
						if (subscriptions.has(subscription)) deliver(subscription, event);
					});
				}
			},
			subscribe(filter, handler) {
				const subscription = { filter, handler };
				subscriptions.add(subscription);
				return () => {
					subscriptions.delete(subscription);
				};
			},
		};

		function deliver({ handler }: Subscription, event: BusEvent): void {
			try {
				handler(event);
			} catch (error) {
				log.error({ err: error, type: event.type }, 'A subscriber of the event bus failed.');
			}
		}
	},
});

interface Subscription {
	readonly filter: BusFilter;
	readonly handler: (event: BusEvent) => void;
}

function matches(filter: BusFilter, event: BusEvent): boolean {
	return (
		(filter.type === undefined || filter.type === event.type) &&
		(filter.tenant === undefined || filter.tenant === event.tenant) &&
		(filter.subject === undefined || filter.subject === event.subject)
	);
}
