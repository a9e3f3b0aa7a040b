import { setImmediate } from 'node:timers/promises';
import { type CollectionRef, type EventPage, isPlinthError, type JobCallback, type JobEvent } from '@plinth/core';
import type { WebhookContext } from './context.ts';
import { callbackTarget, endpointTarget, type Target } from './deliveries.ts';
import { type DeliveryJobs, deliveryKinds } from './delivery-jobs.ts';
import type { Endpoint } from './endpoints.ts';
import { eventOf } from './event.ts';

const pageSize = 100;
/** How many deliveries are written at the same time: a store commits them together. */
const batchSize = 50;

const cursors: CollectionRef = { tenant: 'system', collection: 'webhooks.cursors' };
const cursorId = 'jobs';

/** Turns job events into deliveries. The cursor moves only when a page is written: a crash repeats the page. */
export class Consumer {
	readonly #context: WebhookContext;
	readonly #deliveryJobs: DeliveryJobs;

	constructor(context: WebhookContext, deliveryJobs: DeliveryJobs) {
		this.#context = context;
		this.#deliveryJobs = deliveryJobs;
	}

	/** Reads until there is nothing new. A process whose duty has lapsed never moves the cursor back. */
	async round(signal: AbortSignal): Promise<void> {
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
		const known = new Map<string, readonly Endpoint[]>();
		const tasks: (() => Promise<void>)[] = [];
		for (const ended of events) {
			const event = eventOf(ended);
			if (!event || deliveryKinds.some((kind) => kind === ended.kind)) continue;
			const { tenant } = ended;
			const all = known.get(tenant) ?? (await endpoints.list(tenant));
			known.set(tenant, all);
			for (const target of targetsOf(ended, event.type, all, clock.now())) {
				tasks.push(async () => this.#deliveryJobs.submit(await deliveries.create(tenant, event, target)));
			}
		}
		for (let at = 0; at < tasks.length; at += batchSize) {
			await Promise.all(tasks.slice(at, at + batchSize).map((task) => task()));
		}
	}
}

/** The endpoints that want an event and existed when it happened, and the callback of its job. */
function targetsOf(ended: JobEvent, type: string, endpoints: readonly Endpoint[], now: number): Target[] {
	const targets = endpoints
		.filter(({ disabled, eventTypes }) => !disabled && eventTypes.includes(type))
		// Created in the future: the clock was set back since.
		.filter(({ createdAt }) => createdAt <= ended.at || createdAt > now)
		.map(endpointTarget);
	const callback = ended.data.callback as JobCallback | undefined;
	return callback ? [...targets, callbackTarget(ended.tenant, callback)] : targets;
}
