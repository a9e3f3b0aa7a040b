import { absentFrom, checkLoadable, type JobDump, jobState, pagesOf, partsOf } from '@plinth/core';
import type { DatabaseHandle } from '../engine/database.ts';
import type { Values } from '../engine/pool.ts';
import { toError } from '../errors.ts';
import { type EventRow, toEvent } from './rows.ts';
import { selectBounds } from './statements.ts';
import * as stored from './stored.ts';

/** As `JobStore.dump`. */
export async function* dumpJobs({ pool, sql }: DatabaseHandle): AsyncGenerator<JobDump> {
	const { identity, trimmed, head } = await boundsOf({ pool, sql });
	yield { type: 'store', identity, trimmed, head };
	const jobs = (last: Values = ['']) => pool.read(sql(stored.selectStoredPage), last.slice(0, 1));
	for await (const row of pagesOf(jobs)) yield { type: 'job', job: stored.toStored(row) };
	const events = ([place]: EventRow | [number] = [0]) => pool.read<EventRow>(sql(stored.selectEventPage), [place]);
	for await (const row of pagesOf(events)) yield { type: 'event', event: toEvent(row) };
}

/** As `JobStore.load`. */
export async function loadJobs({ pool, sql }: DatabaseHandle, parts: readonly JobDump[]): Promise<void> {
	const { store, ...dumped } = partsOf(parts);
	if (store) checkLoadable(store, await boundsOf({ pool, sql }));
	const ids = dumped.jobs.map(({ id }) => id);
	const places = dumped.events.map(({ cursor }) => jobState.eventPosition(cursor));
	const presentJobs = (await pool.read(sql(stored.selectStoredOf), [ids])).map(stored.toStored);
	const presentEvents = (await pool.read<EventRow>(sql(stored.selectEventsOf), [places])).map(toEvent);
	const jobs = absentFrom(presentJobs, dumped.jobs, ({ id }) => id).map(stored.toRow);
	const events = absentFrom(presentEvents, dumped.events, ({ cursor }) => `event ${cursor}`).map(stored.toEventRow);
	const rows = [JSON.stringify(jobs), JSON.stringify(events)];
	const values = [...rows, store?.identity ?? null, store?.trimmed ?? null, store?.head ?? null];
	await pool.write(sql(stored.load), values).catch((error) => {
		throw toError(error, pool.address);
	});
}

async function boundsOf({ pool, sql }: Pick<DatabaseHandle, 'pool' | 'sql'>) {
	const [[identity, hasJobs] = ['', true]] = await pool.read<readonly [string, boolean]>(sql(stored.selectStore));
	const [[trimmed, head] = [0, 0]] = await pool.read<readonly [number, number]>(sql(selectBounds));
	return { identity, hasJobs, trimmed: String(trimmed), head: String(head ?? 0) };
}
