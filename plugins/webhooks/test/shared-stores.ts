import {
	type App,
	createApp,
	defineBackend,
	type JobCallback,
	type JobStore,
	type Logger,
	type RecordStore,
	type ServiceRef,
	services,
} from '@plinth/core';
import { memoryBlobs, memoryEvents, memoryJobs, memoryRecords } from '@plinth/memory';
import { createBackend, eventually, type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import { Egress } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Delivery, DeliveryStatus } from '../src/deliveries.ts';
import { Deliveries } from '../src/deliveries.ts';
import { deliveryKinds } from '../src/delivery-jobs.ts';
import { type Endpoint, Endpoints } from '../src/endpoints.ts';
import { webhooksThrough } from '../src/plugin.ts';
import { endpointDeleted } from '../src/routes/endpoints.ts';

/** The tenant of the tests. */
export const tenant = 'acme';

/** Options of the shared stores. */
export interface SharedStoresOptions {
	readonly waits?: readonly number[];
	readonly log?: Logger;
}

/** Options of one process, which replace what the processes share. */
export interface ProcessOptions {
	readonly records?: RecordStore;
	readonly egress?: Egress;
	readonly jobs?: JobStore;
}

/** A process: an app with the plugin. */
export interface WebhookProcess {
	readonly endpoints: Endpoints;
	start(): Promise<void>;
	stop(): Promise<void>;
	/** Publishes an event, so that the consumer polls. */
	wake(): void;
	/** Deletes an endpoint like the route does. */
	remove(endpoint: Endpoint): Promise<void>;
}

/** Stores that several processes can share, and a manual clock. */
export interface SharedStores {
	readonly clock: ManualClock;
	readonly records: RecordStore;
	readonly jobs: JobStore;
	readonly endpoints: Endpoints;
	/**
	 * Creates a process on the stores, which is stopped after the test. The caller starts it. All addresses are allowed
	 * unless `egress` is given.
	 */
	createProcess(options?: ProcessOptions): WebhookProcess;
	/** Ends a new job of the tenant and returns its id. */
	end(options?: EndOptions): Promise<string>;
	/** The deliveries of a tenant, newest event first. */
	deliveries(owner?: string): Promise<readonly Delivery[]>;
	/** The ids of the pending purges of deliveries. */
	purges(): Promise<readonly string[]>;
}

/** How a job ends. */
export interface EndOptions {
	readonly fails?: boolean;
	readonly callback?: JobCallback;
	readonly tenant?: string;
}

/** Creates empty stores. */
export async function createSharedStores(options: SharedStoresOptions = {}): Promise<SharedStores> {
	const clock = manualClock();
	const jobs = (await createBackend<JobStore>(memoryJobs(), { clock })).provided;
	const records = (await createBackend<RecordStore>(memoryRecords(), { clock })).provided;
	const reader = new Deliveries(records, clock);
	const endpoints = new Endpoints(records, clock);
	let made = 0;
	return {
		clock,
		records,
		jobs,
		endpoints,
		createProcess(own = {}) {
			return processOf({ jobs, records, ...own }, clock, endpoints, options);
		},
		async end({ fails = false, callback, tenant: owner = tenant } = {}) {
			const id = `video_${(++made).toString(16).padStart(44, '0')}`;
			await jobs.create({
				id,
				kind: 'video',
				tenant: owner,
				principal: 'somebody',
				model: id,
				input: {},
				maxAttempts: 1,
				...(callback ? { callback } : {}),
			});
			const take = { leaseMs: 60_000, count: 1, models: [id] };
			const [claim] = await jobs.take('video', 'worker', take);
			if (!claim) throw new Error('the job was not claimed');
			if (fails) await jobs.fail(id, claim.fence, { code: 'model_error', message: 'no' });
			else await jobs.complete(id, claim.fence, { result: {}, retentionMs: null });
			return id;
		},
		async deliveries(owner = tenant) {
			return (await reader.list(owner, { limit: 1_000 })).deliveries;
		},
		async purges() {
			const ref = { tenant: 'system', collection: 'webhooks.purges' };
			return (await records.list(ref, { limit: 1_000 })).records.map(({ id }) => id);
		},
	};
}

function processOf(
	{ jobs, records, egress = openEgress() }: ProcessOptions & Pick<SharedStores, 'jobs' | 'records'>,
	clock: ManualClock,
	endpoints: Endpoints,
	{ waits, log = silentLogger() }: SharedStoresOptions,
): WebhookProcess {
	let app: App | undefined;
	const stop = async () => app?.stop();
	onTestFinished(stop);
	return {
		endpoints,
		stop,
		async start() {
			app = await createApp(
				{
					server: { auth: 'off', drainDelayMs: 0, graceMs: 1 },
					backends: {
						jobs: existing(services.jobs, jobs),
						blobs: memoryBlobs(),
						events: memoryEvents(),
						records: existing(services.records, records),
					},
					plugins: {
						webhooks: webhooksThrough(() => egress, {
							random: () => 0.5,
							...(waits && { waits }),
						})({ allowPrivate: true }),
					},
				},
				{ clock, log, env: {} },
			);
			await app.start();
		},
		wake() {
			const event = { type: 'job.completed', tenant, subject: 'video_1', data: null };
			app?.service(services.events).publish(event);
		},
		async remove({ id }) {
			await endpoints.remove(tenant, id);
			const event = { type: endpointDeleted, tenant, subject: id, data: null };
			app?.service(services.events).publish(event);
		},
	};
}

function openEgress(): Egress {
	return new Egress({ allowHttp: true, isAllowed: () => true });
}

/** A backend that provides an existing object. */
function existing<T>(provides: ServiceRef<T>, provided: T) {
	return defineBackend({
		name: 'given',
		provides,
		config: z.strictObject({}),
		create: () => provided as never,
	})();
}

/** An endpoint of the tenant that subscribes to the ends of videos. */
export function endpointAt({ endpoints }: Pick<SharedStores, 'endpoints'>, url: string): Promise<Endpoint> {
	const eventTypes = ['video.completed', 'video.failed'];
	return endpoints.create(tenant, { name: 'test', url, eventTypes });
}

/** Waits until the deliveries of the tenant have these statuses, newest event first, and each was tried. */
export async function waitForDeliveries(
	{ deliveries, jobs }: Pick<SharedStores, 'deliveries' | 'jobs'>,
	...statuses: readonly DeliveryStatus[]
): Promise<readonly Delivery[]> {
	let seen: readonly Delivery[] = [];
	await eventually(`deliveries are ${statuses.join()}`, async () => {
		seen = await deliveries();
		const isIdle = await areIdle(jobs, seen);
		const isTried = seen.every(({ status, tries }) => status !== 'pending' || tries > 0);
		return isIdle && isTried && seen.map(({ status }) => status).join() === statuses.join();
	});
	return seen;
}

/** Whether no request to the receivers of these deliveries is in progress. */
async function areIdle(jobs: JobStore, deliveries: readonly Delivery[]): Promise<boolean> {
	for (const receiver of new Set(deliveries.map((delivery) => delivery.receiver))) {
		for (const kind of deliveryKinds) {
			const page = await jobs.list(receiver, { kind, limit: 100, order: 'asc', pending: true });
			if (page.jobs.some(({ status }) => status === 'in_progress')) return false;
		}
	}
	return true;
}
