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
import { Rounds } from './rounds.ts';

const everyMs = 1_000;
const pageSize = 100;
/** How many deliveries are written at the same time: a store commits them together. */
const together = 50;

const place: CollectionRef = { tenant: 'system', collection: 'webhooks.cursors' };
const placeId = 'jobs';

/** What the consumer works with. */
export interface ConsumerTools {
	readonly jobs: JobStore;
	readonly records: RecordStore;
	readonly endpoints: Endpoints;
	readonly deliveries: Deliveries;
	readonly clock: Clock;
	readonly log: Logger;
	/** Called with the receivers that have something new. */
	readonly planned: (lines: Iterable<string>) => void;
}

/**
 * Reads the log of job events and makes deliveries of their ends. How far it has come is a record that all processes share: it moves on only
 * when the deliveries of a page are written, so that an end in between repeats the page, which changes nothing.
 */
export class Consumer {
	readonly #tools: ConsumerTools;
	readonly #rounds: Rounds;
	#warnedAt: string | undefined;

	constructor(tools: ConsumerTools) {
		this.#tools = tools;
		this.#rounds = new Rounds({
			clock: tools.clock,
			log: tools.log,
			everyMs,
			complaint: 'job events could not be turned into webhooks; tried again in a second',
			round: () => this.#round(),
		});
	}

	/** Begins to read. */
	start(): void {
		this.#rounds.start();
	}

	/** Says that there may be new events. */
	wake(): void {
		this.#rounds.wake();
	}

	/** Reads no more; resolves when the page under way is done. */
	stop(): Promise<void> {
		return this.#rounds.stop();
	}

	async #round(): Promise<undefined> {
		const { records, planned } = this.#tools;
		while (!this.#rounds.isStopped) {
			const stored = await records.get<{ cursor: string }>(place, placeId);
			const cursor = stored?.value.cursor;
			const page = await this.#read(cursor);
			this.#complain(page, cursor);
			if (page.events.length === 0 && page.cursor === cursor) return;
			planned(await this.#plan(page.events));
			// Null: another process has read the same page.
			await records.put(
				place,
				placeId,
				{ cursor: page.cursor },
				{ ifVersion: stored?.version ?? 0 },
			);
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

	#complain({ missed }: EventPage, cursor: string | undefined): void {
		if (!missed || this.#warnedAt === cursor) return;
		this.#warnedAt = cursor;
		this.#tools.log.warn(
			{},
			'job events were trimmed before they could be turned into webhooks: some were never sent',
		);
	}

	/** Writes the deliveries of a page and resolves with the lines that they stand in. */
	async #plan(events: readonly JobEvent[]): Promise<ReadonlySet<string>> {
		const tasks = await this.#tasks(events);
		for (let at = 0; at < tasks.length; at += together) {
			await Promise.all(tasks.slice(at, at + together).map(({ write }) => write()));
		}
		return new Set(tasks.map(({ line }) => line));
	}

	async #tasks(events: readonly JobEvent[]) {
		const { deliveries, endpoints, clock } = this.#tools;
		const known = new Map<string, readonly Endpoint[]>();
		const tasks: { readonly line: string; readonly write: () => Promise<void> }[] = [];
		for (const ended of events) {
			const event = eventOf(ended);
			if (!event) continue;
			const { tenant } = ended;
			const all = known.get(tenant) ?? (await endpoints.list(tenant));
			known.set(tenant, all);
			for (const target of targetsOf(ended, event.type, all, clock.now())) {
				const write = () => deliveries.plan(tenant, event, target);
				tasks.push({ line: target.line, write });
			}
		}
		return tasks;
	}
}

/** The endpoints that want an event and were there when it happened, and the callback of its job. */
function targetsOf(
	ended: JobEvent,
	type: string,
	endpoints: readonly Endpoint[],
	now: number,
): Target[] {
	const targets = endpoints
		.filter(({ disabled, eventTypes }) => !disabled && eventTypes.includes(type))
		// An endpoint of the future was made before the clock was set back: it hears all that is read until then.
		.filter(({ createdAt }) => createdAt <= ended.at || createdAt > now)
		.map(endpointTarget);
	const { callback } = ended.data;
	return isCallback(callback) ? [...targets, callbackTarget(ended.tenant, callback)] : targets;
}

function isCallback(value: unknown): value is JobCallback {
	return typeof value === 'object' && value !== null && 'url' in value && 'secret' in value;
}
