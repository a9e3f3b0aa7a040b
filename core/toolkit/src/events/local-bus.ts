import type { BusEvent, BusFilter, EventBus, Logger } from '@plinth/core';

/** An event bus inside one process. Buses that connect processes use it to deliver events to their own subscribers. */
export class LocalBus implements EventBus {
	readonly #subscriptions = new Set<Subscription>();
	readonly #log: Pick<Logger, 'error'>;

	constructor(log: Pick<Logger, 'error'>) {
		this.#log = log;
	}

	publish(event: BusEvent): void {
		for (const subscription of [...this.#subscriptions]) {
			if (!matches(subscription.filter, event)) continue;
			// Outside of the publisher's call, which a slow or throwing handler must not affect.
			queueMicrotask(() => {
				if (this.#subscriptions.has(subscription)) this.#deliver(subscription, event);
			});
		}
	}

	subscribe(filter: BusFilter, handler: (event: BusEvent) => void): () => void {
		const subscription = { filter, handler };
		this.#subscriptions.add(subscription);
		return () => {
			this.#subscriptions.delete(subscription);
		};
	}

	#deliver({ handler }: Subscription, event: BusEvent): void {
		try {
			handler(event);
		} catch (error) {
			this.#log.error({ err: error, type: event.type }, 'A subscriber of the event bus failed.');
		}
	}
}

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
