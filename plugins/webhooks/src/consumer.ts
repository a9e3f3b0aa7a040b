import { setImmediate } from 'node:timers/promises';
import { type CollectionRef, type EventPage, isPlinthError, type JobCallback, type JobEvent } from '@plinth/core';
import type { WebhookContext } from './context.ts';
import { callbackTarget, endpointTarget, type Target } from './deliveries.ts';
import { type DeliveryJobs, deliveryKinds } from './delivery-jobs.ts';
import type { Endpoint } from './endpoints.ts';
import { eventOf } from './event.ts';

const pageSize = 100;
/** Deliveries written concurrently: a store commits them together. */
const batchSize = 50;

const cursors: CollectionRef = { tenant: 'system', collection: 'webhooks.cursors' };
const cursorId = 'jobs';

/** Turns job events into deliveries. The cursor moves after a page is written, so a crash repeats the page. */
export class Consumer {
	readonly #context: WebhookContext;
	readonly #deliveryJobs: DeliveryJobs;

	constructor(context: WebhookContext, deliveryJobs: DeliveryJobs) {
		this.#context = context;
		this.#deliveryJobs = deliveryJobs;
	}

	/** Processes all new events. `ifVersion` keeps a process that has lost its duty from moving the cursor back. */
	async processNew(signal: AbortSignal): Promise<void> {
		const { records, log } = this.#context;
		while (!signal.aborted) {
			const stored = await records.get<{ cursor: string }>(cursors, cursorId);
			const cursor = stored?.value.cursor;
			const page = await this.#read(cursor);
			if (page.events.length === 0 && page.cursor === cursor) return;
			await this.#deliver(page.events);
			const options = { ifVersion: stored?.version ?? 0 };
			const version = await records.put(cursors, cursorId, { cursor: page.cursor }, options);
			if (page.missed && version !== null) {
				log.warn({}, 'job events were trimmed before they could be turned into webhooks: some were never sent');
			}
			if (page.events.length === 0) return;
			await setImmediate();
		}
	}

	/** A cursor that the store rejects is from another store: reading starts at the oldest event. */
	async #read(cursor: string | undefined): Promise<EventPage> {
		const { jobs } = this.#context;
		try {
			return await jobs.events(cursor, { limit: pageSize });
		} catch (error) {
			if (!isPlinthError(error) || error.code !== 'E_VALUE_INVALID') throw error;
			return { ...(await jobs.events(undefined, { limit: pageSize })), missed: true };
		}
	}

	async #deliver(events: readonly JobEvent[]): Promise<void> {
		const { deliveries, endpoints, clock } = this.#context;
		const endpointsByTenant = new Map<string, readonly Endpoint[]>();
		const tasks: (() => Promise<void>)[] = [];
		for (const jobEvent of events) {
			const event = eventOf(jobEvent);
			if (!event || deliveryKinds.some((kind) => kind === jobEvent.kind)) continue;
			const { tenant } = jobEvent;
			const tenantEndpoints = endpointsByTenant.get(tenant) ?? (await endpoints.list(tenant));
			endpointsByTenant.set(tenant, tenantEndpoints);
			for (const target of targetsOf(jobEvent, event.type, tenantEndpoints, clock.now())) {
				tasks.push(async () => this.#deliveryJobs.submit(await deliveries.create(tenant, event, target)));
			}
		}
		for (let start = 0; start < tasks.length; start += batchSize) {
			await Promise.all(tasks.slice(start, start + batchSize).map((task) => task()));
		}
	}
}

/** The enabled endpoints that subscribe to an event and existed when it happened, and the callback of its job. */
function targetsOf(jobEvent: JobEvent, type: string, endpoints: readonly Endpoint[], now: number): Target[] {
	const targets = endpoints
		.filter(({ disabled, eventTypes }) => !disabled && eventTypes.includes(type))
		// A creation time in the future: the clock was set back since.
		.filter(({ createdAt }) => createdAt <= jobEvent.at || createdAt > now)
		.map(endpointTarget);
	const callback = jobEvent.data.callback as JobCallback | undefined;
	return callback ? [...targets, callbackTarget(jobEvent.tenant, callback)] : targets;
}
