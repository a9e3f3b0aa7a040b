import { setImmediate } from 'node:timers/promises';
import {
	type Clock,
	type CollectionRef,
	type EventPage,
	isPlinthError,
	type JobCallback,
	type JobEvent,
	type JobStore,
	type Logger,
	type RecordStore,
} from '@plinth/core';
import { callbackTarget, endpointTarget, type Target } from '../deliveries/record.ts';
import type { Deliveries } from '../deliveries/store.ts';
import type { Endpoint, Endpoints } from '../endpoints/store.ts';
import { eventOf } from '../event.ts';
import { type DeliveryJobs, deliveryKinds } from './delivery-jobs.ts';

const pageSize = 100;
/** How many deliveries are written at the same time: a store commits them together. */
const batchSize = 50;

const cursors: CollectionRef = { tenant: 'system', collection: 'webhooks.cursors' };
const cursorId = 'jobs';

/** What the consumer works with. */
export interface ConsumerTools {
	readonly jobs: JobStore;
	readonly records: RecordStore;
	readonly endpoints: Endpoints;
	readonly deliveries: Deliveries;
	readonly deliveryJobs: DeliveryJobs;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Reads the log of job events and makes deliveries of their ends: the duty of one process at a time. The cursor is a
 * record. It
 * moves on only when the deliveries of a page and their jobs are written, so that a crash in between repeats the page,
 * which
 * changes nothing.
 */
export class Consumer {
	readonly #tools: ConsumerTools;

	constructor(tools: ConsumerTools) {
		this.#tools = tools;
	}

	/** Reads until there is nothing new. A process whose duty has lapsed never moves the cursor back. */
	async round(signal: AbortSignal): Promise<void> {
		const { records } = this.#tools;
		while (!signal.aborted) {
			const stored = await records.get<{ cursor: string }>(cursors, cursorId);
			const cursor = stored?.value.cursor;
			const page = await this.#read(cursor);
			if (page.events.length === 0 && page.cursor === cursor) return;
			await this.#deliver(page.events);
			const options = { ifVersion: stored?.version ?? 0 };
			const version = await records.put(cursors, cursorId, { cursor: page.cursor }, options);
			if (page.missed && version !== null) this.#warnOfGap();
			if (page.events.length === 0) return;
			await setImmediate();
		}
	}

	/** A cursor that the store does not understand is another store's: then all that this one has is new. */
	async #read(cursor: string | undefined): Promise<EventPage> {
		const { jobs } = this.#tools;
		try {
			return await jobs.events(cursor, { limit: pageSize });
		} catch (error) {
			if (!isPlinthError(error) || error.code !== 'E_VALUE_INVALID') throw error;
			const page = await jobs.events(undefined, { limit: pageSize });
			return { ...page, missed: true };
		}
	}

	#warnOfGap(): void {
		this.#tools.log.warn({}, 'job events were trimmed before they could be turned into webhooks: some were never sent');
	}

	async #deliver(events: readonly JobEvent[]): Promise<void> {
		const tasks = await this.#tasks(events);
		for (let at = 0; at < tasks.length; at += batchSize) {
			await Promise.all(tasks.slice(at, at + batchSize).map((task) => task()));
		}
	}

	async #tasks(events: readonly JobEvent[]): Promise<readonly (() => Promise<void>)[]> {
		const { deliveries, deliveryJobs, endpoints, clock } = this.#tools;
		const known = new Map<string, readonly Endpoint[]>();
		const tasks: (() => Promise<void>)[] = [];
		for (const ended of events) {
			const event = eventOf(ended);
			if (!event || deliveryKinds.some((kind) => kind === ended.kind)) continue;
			const { tenant } = ended;
			const all = known.get(tenant) ?? (await endpoints.list(tenant));
			known.set(tenant, all);
			for (const target of targetsOf(ended, event.type, all, clock.now())) {
				tasks.push(async () => deliveryJobs.submit(await deliveries.create(tenant, event, target)));
			}
		}
		return tasks;
	}
}

/** The endpoints that want an event and were there when it happened, and the callback of its job. */
function targetsOf(ended: JobEvent, type: string, endpoints: readonly Endpoint[], now: number): Target[] {
	const targets = endpoints
		.filter(({ disabled, eventTypes }) => !disabled && eventTypes.includes(type))
		// An endpoint of the future was made before the clock was set back: it gets all that is read until then.
		.filter(({ createdAt }) => createdAt <= ended.at || createdAt > now)
		.map(endpointTarget);
	const { callback } = ended.data;
	return isCallback(callback) ? [...targets, callbackTarget(ended.tenant, callback)] : targets;
}

function isCallback(value: unknown): value is JobCallback {
	return typeof value === 'object' && value !== null && 'url' in value && 'secret' in value;
}
