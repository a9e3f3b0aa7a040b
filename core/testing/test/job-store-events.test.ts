import type { EventPage, JobEvent, JobStore } from '@plinth/core';
import { describe } from 'vitest';
import { jobSuite } from './job-suite.ts';
import { type Sabotage, testSabotage } from './sabotage.ts';

/** Returns changed pages of events. */
function paging(change: (page: EventPage, cursor: string | undefined) => Partial<EventPage>) {
	return (right: JobStore): Partial<JobStore> => ({
		async events(cursor, query) {
			const page = await right.events(cursor, query);
			return { ...page, ...change(page, cursor) };
		},
	});
}

/** Returns changed events. */
function changingEvents(change: (event: JobEvent) => JobEvent) {
	return paging(({ events }) => ({ events: events.map(change) }));
}

function withoutCallback({ data: { callback: _, ...data }, ...event }: JobEvent): JobEvent {
	return { ...event, data };
}

const callback = { url: 'https://client.example', secret: null };

const wrong: Sabotage<JobStore>[] = [
	[
		'a callback that is not stored',
		(right) => ({
			create: ({ callback: _, ...job }, options) => right.create(job, options),
		}),
		'job.completed carries the callback',
	],
	[
		'a failure that nobody is told of',
		changingEvents((event) => (event.type === 'job.failed' ? withoutCallback(event) : event)),
		'job.failed carries the callback beside the code',
	],
	[
		'a cancelled line that nobody is told of',
		changingEvents((event) => (event.data.attempt === 0 ? withoutCallback(event) : event)),
		'the end of a queued job that was cancelled carries the callback',
	],
	[
		'used-up attempts that nobody is told of',
		changingEvents((event) => (event.data.code === 'attempts_exhausted' ? withoutCallback(event) : event)),
		'an end that happens in a claim carries the callback',
	],
	[
		'a secret that is left out',
		changingEvents((event) => (event.data.callback ? { ...event, data: { ...event.data, callback } } : event)),
		'job.completed carries the callback',
	],
	[
		'a callback with every event',
		changingEvents((event) => ({ ...event, data: { callback, ...event.data } })),
		'no other event carries the callback, and no record',
	],
	[
		'a callback in the record',
		(right) => ({
			async create(job, options) {
				const created = await right.create(job, options);
				return { ...created, job: { ...created.job, callback: job.callback } };
			},
		}),
		'no other event carries the callback, and no record',
	],
	[
		'a callback that a repeat changes',
		(right) => {
			let latest: NonNullable<typeof callback> = callback;
			const changedEvents = changingEvents((event) =>
				event.data.callback ? { ...event, data: { ...event.data, callback: latest } } : event,
			)(right);
			return {
				...changedEvents,
				create(job, options) {
					if (job.callback) latest = job.callback as typeof callback;
					return right.create(job, options);
				},
			};
		},
		'a repeated create keeps the callback of the first',
	],
	[
		'gaps that nobody notices',
		paging(() => ({ missed: false })),
		'a reader whose next event was trimmed has missed something',
	],
	[
		'a gap that is noticed only while events are left',
		paging(({ events, missed }) => ({ missed: missed && events.length > 0 })),
		'a reader has missed something also when the whole log was trimmed',
	],
	[
		'a gap that is noticed only where something is found',
		(right) => ({
			async events(cursor, query) {
				const page = await right.events(cursor, query);
				const { tenant, jobId } = query;
				return { ...page, missed: page.missed && tenant === undefined && jobId === undefined };
			},
		}),
		'trimmed events count as missed whatever the reader filters by',
	],
	[
		'a gap before the beginning',
		(right) => ({ events: (cursor, query) => right.events(cursor ?? '0', query) }),
		'without a cursor nothing is missed',
	],
	[
		'a gap behind everyone once something was trimmed',
		(right) => {
			let trimmed = false;
			return {
				async tidy() {
					trimmed = true;
					return right.tidy();
				},
				async events(cursor, query) {
					const page = await right.events(cursor, query);
					return { ...page, missed: cursor !== undefined && trimmed };
				},
			};
		},
		'a reader that keeps up has missed nothing, whatever is trimmed behind it',
	],
	[
		'a cursor beyond the log that waits for it',
		paging(({ missed, cursor }, asked) =>
			missed && Number(asked) > Number(cursor) ? { missed: false, cursor: asked ?? cursor } : {},
		),
		'a cursor beyond the log has missed something, and continues at its head',
	],
	[
		'a log that is trimmed in its midst',
		(right) => {
			let before = 0;
			return {
				...paging(({ events }) => ({ events: events.filter(({ at }) => at >= before) }))(right),
				async tidy() {
					const { events } = await right.events(undefined, { limit: 10 });
					before = Math.max(...events.map(({ at }) => at));
					return right.tidy();
				},
			};
		},
		'the log is trimmed from its start, whatever the clock was set to',
	],
	[
		'a head at the oldest event',
		(right) => ({
			async head() {
				const { events } = await right.events(undefined, { limit: 1 });
				return events[0]?.cursor ?? '0';
			},
		}),
		'head is the cursor behind the newest event',
	],
	[
		'a head that begins anew with an empty log',
		(right) => ({
			async head() {
				const { events } = await right.events(undefined, { limit: 100 });
				return events.at(-1)?.cursor ?? '0';
			},
		}),
		'the head stays where it is when the log is trimmed',
	],
	[
		'a pending list of everything',
		(right) => ({
			list: (tenant, { pending: _, ...options }) => right.list(tenant, options),
		}),
		'a pending list holds the jobs that wait or run, in every order',
	],
	[
		'a pending list that is filtered page by page',
		(right) => ({
			async list(tenant, { pending, ...options }) {
				const page = await right.list(tenant, options);
				const jobs = page.jobs.filter(({ completedAt }) => !pending || completedAt === null);
				return { ...page, jobs };
			},
		}),
		'a pending list continues after an id, and its hasMore is right',
	],
	[
		'a pending list without what runs',
		(right) => ({
			async list(tenant, options) {
				const page = await right.list(tenant, options);
				if (!options.pending) return page;
				return { ...page, jobs: page.jobs.filter(({ fence }) => fence === 0) };
			},
		}),
		'a pending list holds the jobs that wait or run, in every order',
	],
];

describe('jobStoreSuite, on events and what follows them', () => testSabotage(wrong, jobSuite));
