import type { CollectionRef, JobCallback, JobStore, Logger, RecordStore } from '@plinth/core';
import { memoryJobs, memoryRecords } from '@plinth/memory';
import {
	createBackend,
	eventually,
	type ManualClock,
	manualClock,
	silentLogger,
} from '@plinth/testing';
import { Egress } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { DueList } from '../src/deliveries/due.ts';
import type { DeliveryStatus } from '../src/deliveries/record.ts';
import { Deliveries, type Delivery } from '../src/deliveries/store.ts';
import { Machine } from '../src/delivery/machine.ts';
import { defaultWaits } from '../src/delivery/schedule.ts';
import type { Endpoint } from '../src/endpoints/store.ts';

/** The tenant of the tests. */
export const tenant = 'acme';

/** What a test decides. */
export interface StandOptions {
	readonly waits?: readonly number[];
	readonly random?: () => number;
	readonly log?: Logger;
}

/** Stores that several machines may share, and a clock that stands still. */
export interface Stand {
	readonly clock: ManualClock;
	readonly records: RecordStore;
	readonly jobs: JobStore;
	/** A machine on the stores, or on others; stopped after the test. It does not run yet. Everything can be reached unless `egress` is given. */
	machine(records?: RecordStore, egress?: Egress): Machine;
	/** Ends a new job of the tenant, and returns its id. */
	end(options?: EndOptions): Promise<string>;
	/** The deliveries of the tenant, those of the newest events first. */
	deliveries(): Promise<readonly Delivery[]>;
	/** All entries of what is due. */
	due(): Promise<readonly string[]>;
}

/** How a job ends. */
export interface EndOptions {
	readonly fails?: boolean;
	readonly callback?: JobCallback;
	readonly tenant?: string;
}

/** Makes the stores, empty. */
export async function stand(options: StandOptions = {}): Promise<Stand> {
	const clock = manualClock();
	const jobs = (await createBackend<JobStore>(memoryJobs(), { clock })).provided;
	const records = (await createBackend<RecordStore>(memoryRecords(), { clock })).provided;
	const { waits = defaultWaits, random = () => 0.5, log = silentLogger() } = options;
	const reader = new Deliveries(records, new DueList(records), clock);
	let made = 0;
	return {
		clock,
		records,
		jobs,
		machine(store = records, egress = new Egress({ allowHttp: true, isAllowed: () => true })) {
			const schedule = { waits, random };
			const machine = new Machine({ jobs, records: store, egress, schedule, clock, log });
			onTestFinished(async () => {
				await machine.stop();
				await egress.close();
			});
			return machine;
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
			const options = { leaseMs: 60_000, count: 1, models: [id] };
			const [claim] = await jobs.take('video', 'worker', options);
			if (!claim) throw new Error('the job was not claimed');
			if (fails) await jobs.fail(id, claim.fence, { code: 'model_error', message: 'no' });
			else await jobs.complete(id, claim.fence, { result: {}, retentionMs: null });
			return id;
		},
		async deliveries() {
			const { deliveries } = await reader.list(tenant, { limit: 1_000 });
			return deliveries;
		},
		async due() {
			const ref: CollectionRef = { tenant: 'system', collection: 'webhooks.due' };
			return (await records.list(ref, { limit: 1_000 })).records.map(({ id }) => id);
		},
	};
}

/** An endpoint of the tenant for the ends of videos. */
export function endpointAt(machine: Machine, url: string): Promise<Endpoint> {
	const eventTypes = ['video.completed', 'video.failed'];
	return machine.endpoints.create(tenant, { name: 'test', url, eventTypes });
}

/** Waits until the tenant's deliveries have these statuses, the newest event first, each has been tried, and nothing is being sent. */
export async function settled(
	{ deliveries }: Pick<Stand, 'deliveries'>,
	...statuses: readonly DeliveryStatus[]
): Promise<readonly Delivery[]> {
	let seen: readonly Delivery[] = [];
	await eventually(`deliveries are ${statuses.join()}`, async () => {
		seen = await deliveries();
		const isIdle = seen.every(
			({ claim, status, tries }) => !claim && (status !== 'pending' || tries > 0),
		);
		return isIdle && seen.map(({ status }) => status).join() === statuses.join();
	});
	return seen;
}
