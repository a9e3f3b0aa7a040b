import type { JobDump, JobStore, StoredJob } from '@plinth/core';
import { describe } from 'vitest';
import { jobSuite } from './job-suite.ts';
import { type Sabotage, testSabotage } from './sabotage.ts';

/** Loads changed parts. */
const loading = (change: (parts: readonly JobDump[]) => readonly JobDump[]) => (right: JobStore) => ({
	load: (parts: readonly JobDump[]) => right.load(change(parts)),
});

/** Loads changed jobs. */
const storing = (change: (job: StoredJob) => Partial<StoredJob>) =>
	loading((parts) =>
		parts.map((part) => (part.type === 'job' ? { ...part, job: { ...part.job, ...change(part.job) } } : part)),
	);

/** Returns only some parts of a dump. */
const dumping = (isGiven: (part: JobDump, place: number) => boolean) => (right: JobStore) => ({
	async *dump() {
		let place = 0;
		for await (const part of right.dump()) if (isGiven(part, place++)) yield part;
	},
});

const wrong: readonly Sabotage<JobStore>[] = [
	[
		'a dump without removed jobs',
		dumping((part) => part.type !== 'job' || !part.job.removed),
		'a dump fills an empty store with the same jobs and events, whatever their state',
	],
	[
		'a load without events',
		loading((parts) => parts.filter(({ type }) => type !== 'event')),
		'a dump fills an empty store with the same jobs and events, whatever their state',
	],
	[
		'a load that frees what runs',
		storing(({ dueAt }) => ({ dueAt: dueAt === null ? null : 0 })),
		'attempts, leases and expiries continue in the other store',
	],
	[
		'a load that forgets expiries',
		storing(() => ({ contentDueAt: null })),
		'attempts, leases and expiries continue in the other store',
	],
	[
		'a load that forgets requests',
		storing(() => ({ idempotencyKey: null })),
		'a repeated request is recognised in the other store',
	],
	[
		'a load that numbers events anew',
		loading((parts) =>
			parts.map((part) =>
				part.type === 'event'
					? { ...part, event: { ...part.event, cursor: `${Number(part.event.cursor) + 5}` } }
					: part,
			),
		),
		'a cursor continues in the other store, also when the log was trimmed',
	],
	[
		'a log that begins anew',
		loading((parts) => parts.map((part) => (part.type === 'store' ? { ...part, head: '0' } : part))),
		'the other store gets the head even when all events are trimmed',
	],
	[
		'a store that keeps its identity',
		(right) => ({ identity: async () => 'mine', load: (parts) => right.load(parts) }),
		'an empty store takes over the identity of a dump, and one with jobs refuses another',
	],
	[
		'a load that is not one transaction',
		(right) => ({
			async load(parts) {
				for (const part of parts) await right.load([part]);
			},
		}),
		'a job that exists in another form is refused, and nothing is written',
	],
	[
		'a load that passes over what is there',
		(right) => ({ load: (parts) => right.load(parts).catch(() => {}) }),
		'a job that exists in another form is refused, and nothing is written',
	],
	[
		'a load that goes on anywhere',
		loading((parts) => parts.filter(({ type }) => type !== 'store')),
		'events behind the head of the dump are refused',
	],
	[
		'a dump of one page',
		dumping((_, place) => place < 200),
		'a dump has every job and event once, by id and in order, however many there are',
	],
	[
		'a load that can not be repeated',
		(right) => {
			const seen = new Set<string>();
			return {
				async load(parts) {
					const names = parts.map((part) => JSON.stringify(part));
					if (names.some((name) => seen.has(name))) throw new Error('It is there.');
					for (const name of names) seen.add(name);
					for await (const part of right.dump())
						if (names.includes(JSON.stringify(part))) throw new Error('It is there.');
					return right.load(parts);
				},
			};
		},
		'loading a dump again changes nothing, in parts too',
	],
];

describe('jobStoreSuite', () => testSabotage(wrong, jobSuite));
