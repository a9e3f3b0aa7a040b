import type { Json } from './json.ts';

/** A hint that something happened; it may get lost. The durable log is `JobStore.events`. */
export interface BusEvent {
	/** `job.queued`, `job.completed`, `job.progress`, … */
	readonly type: string;
	readonly tenant: string;
	/** The id of what the event is about. */
	readonly subject: string;
	readonly data: Json;
}

/** Which events a subscriber receives; absent members match everything. */
export interface BusFilter {
	readonly type?: string;
	readonly tenant?: string;
	readonly subject?: string;
}

/** Delivers hints at most once, to the current subscribers. `JobStore.events` has those that were missed. */
export interface EventBus {
	/** Never throws and never waits for subscribers. */
	publish(event: BusEvent): void;
	/** The returned function ends the subscription. A handler that throws affects no other. */
	subscribe(filter: BusFilter, handler: (event: BusEvent) => void): () => void;
}
