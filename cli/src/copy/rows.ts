import type { JobDump } from '@plinth/core';
import { Meter } from './meter.ts';
import type { Stores } from './stores.ts';
import { Tally } from './tally.ts';

/** Limits of one load. A load is one transaction, which must not block the store for long. */
const batchLimits = { parts: 200, bytes: 4 * 1024 * 1024 } as const;

/** Tallies of the tables of one store. */
export interface RowTallies {
	readonly records: Tally;
	readonly jobs: Tally;
	readonly events: Tally;
}

/** Copies all rows. Records come first, because they hold the positions of the event readers. */
export async function copyRows(from: Stores, to: Stores): Promise<RowTallies> {
	const [records, jobs, events] = [new Tally(), new Tally(), new Tally()];
	const countRecord = (record: object) => records.add(record);
	await copyInBatches('records', from.records.dump(), countRecord, (batch) => to.records.load(batch));
	const countPart = (part: JobDump) => addPart(part, { jobs, events });
	await copyInBatches('jobs and events', from.jobs.dump(), countPart, (batch) => to.jobs.load(batch));
	return { records, jobs, events };
}

/** Reads and tallies all rows of one store. */
export async function tallyOfRows({ records: store, jobs: jobStore }: Stores): Promise<RowTallies> {
	const [records, jobs, events] = [new Tally(), new Tally(), new Tally()];
	for await (const record of store.dump()) records.add(record);
	for await (const part of jobStore.dump()) addPart(part, { jobs, events });
	return { records, jobs, events };
}

function addPart(part: JobDump, { jobs, events }: Omit<RowTallies, 'records'>): number {
	if (part.type === 'job') return jobs.add(part.job);
	return part.type === 'event' ? events.add(part.event) : 0;
}

async function copyInBatches<T>(
	label: string,
	items: AsyncIterable<T>,
	count: (item: T) => number,
	load: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
	const meter = new Meter(label);
	let [batch, counted, bytes] = [[] as T[], 0, 0];
	const flush = async () => {
		await load(batch);
		meter.add(counted, bytes);
		[batch, counted, bytes] = [[], 0, 0];
	};
	for await (const item of items) {
		const size = count(item);
		if (size > 0) counted += 1;
		bytes += size;
		batch.push(item);
		if (batch.length === batchLimits.parts || bytes > batchLimits.bytes) await flush();
	}
	if (batch.length > 0) await flush();
	meter.end();
}
