import { describe, expect, test } from 'vitest';
import { type Entry, type Job, type JobPage, matcher, timesOf } from '../client/src/views/jobs/job.ts';
import { JobList } from '../client/src/views/jobs/job-list.ts';
import { LiveJobs } from '../client/src/views/jobs/live-jobs.ts';

const idOf = (number: number, kind = 'video') => `${kind}_${String(number).padStart(12, '0')}${'a'.repeat(32)}`;

function job(number: number, more: Partial<Job> = {}): Job {
	const base = { object: 'video', model: 'm', status: 'queued', progress: 0, created_at: number } as const;
	return { ...base, id: idOf(number), completed_at: null, expires_at: null, prompt: `job ${number}`, ...more };
}

const event = (type: string, data: { readonly id: string }, at = 100) => ({ type, created_at: at, data });
const page = (jobs: readonly Job[], has_more: boolean): JobPage => ({
	data: jobs,
	last_id: jobs.at(-1)?.id ?? null,
	has_more,
});
const numbers = (entries: readonly Entry[]) => entries.map(({ job: { created_at: at } }) => at);

describe('the list of jobs', () => {
	test('keeps the newest first, whatever comes first, of every kind', () => {
		const list = new JobList();
		for (const number of [2, 5, 1]) list.apply(event('job.queued', job(number)));
		list.merge(page([job(4), job(3)], true), undefined, list.eventCount);
		list.apply(event('job.queued', job(6, { id: idOf(6, 'other'), object: 'other' })));
		// 5 was changed before the page was asked for, and the page does not have it: it was deleted.
		expect(numbers(list.entries())).toEqual([6, 4, 3, 2, 1]);
	});

	test('drops jobs of the range of a page that it does not have, and no others', () => {
		const list = new JobList();
		list.merge(
			page(
				[9, 8, 7, 6, 5].map((number) => job(number)),
				false,
			),
			undefined,
			0,
		);
		list.merge(page([job(7), job(5)], true), idOf(8), 0);
		expect(numbers(list.entries())).toEqual([9, 8, 7, 5]);
		list.merge(page([], false), idOf(7), 0);
		expect(numbers(list.entries())).toEqual([9, 8, 7]);
	});

	test('prefers an event to a page that was asked for before it', () => {
		const list = new JobList();
		const since = list.eventCount;
		list.apply(event('job.completed', job(1, { status: 'completed' })));
		list.apply(event('job.queued', job(3)));
		list.apply(event('job.queued', job(2)));
		list.apply(event('job.deleted', { id: idOf(2) }));
		list.merge(page([job(2), job(1)], false), undefined, since);
		expect(list.entries().map(({ job: { created_at: at, status } }) => [at, status])).toEqual([
			[3, 'queued'],
			[1, 'completed'],
		]);
	});

	test('remembers when a job started, and forgets it when the job is queued again', () => {
		const list = new JobList();
		const running = job(1, { status: 'in_progress', progress: 0.5 });
		list.apply(event('job.started', running, 7));
		list.apply(event('job.progress', running, 9));
		expect(list.entries()[0]?.startedAt).toBe(7);
		list.apply(event('job.queued', job(1), 10));
		expect(list.entries()[0]?.startedAt).toBeUndefined();
		list.apply(event('job.started', running, 12));
		const ended = job(1, { status: 'completed', completed_at: 20 });
		list.apply(event('job.completed', ended, 20));
		expect(timesOf(list.entries()[0] as Entry)).toEqual({ waited: 11, ran: 8, whole: 19 });
	});

	test('keeps pictures of running jobs alone', () => {
		const list = new JobList();
		const running = job(1, { status: 'in_progress' });
		list.apply({ ...event('job.preview', running), preview: 'data:x' });
		list.apply(event('job.progress', running));
		expect(list.entries()[0]?.preview).toBe('data:x');
		list.apply(event('job.failed', job(1, { status: 'failed' })));
		expect(list.entries()[0]?.preview).toBeUndefined();
	});
});

describe('live jobs', () => {
	/** A server with so many jobs, which answers when `answer` is called. */
	function served(count: number) {
		let stored = Array.from({ length: count }, (_, index) => job(count - index));
		const asked: (string | undefined)[] = [];
		const jobs = new LiveJobs({
			async load(after) {
				asked.push(after);
				const rest = stored.filter(({ id }) => after === undefined || id < after);
				return page(rest.slice(0, 10), rest.length > 10);
			},
			schedule: (callback) => callback(),
		});
		return {
			jobs,
			asked,
			change: (edit: (all: Job[]) => Job[]) => {
				stored = edit(stored);
			},
		};
	}

	test('load page by page, and all of them', async () => {
		const { jobs, asked } = served(35);
		await jobs.loadMore();
		expect([jobs.entries.value.length, jobs.hasMore.value]).toEqual([10, true]);
		await jobs.loadMore();
		expect(asked).toEqual([undefined, idOf(26)]);
		await jobs.loadAll();
		expect([jobs.entries.value.length, jobs.hasMore.value, asked.length]).toEqual([35, false, 4]);
		await jobs.loadMore();
		expect(asked.length).toBe(4);
	});

	test('are loaded anew as far as they were, with what was added and deleted meanwhile', async () => {
		const { jobs, asked, change } = served(35);
		await jobs.loadMore();
		await jobs.loadMore();
		change((all) => [job(37), job(36), ...all.filter(({ created_at: at }) => at !== 20 && at !== 34)]);
		asked.length = 0;
		await jobs.refresh();
		expect(asked.length).toBe(2);
		const shown = numbers(jobs.entries.value);
		expect(shown.slice(0, 4)).toEqual([37, 36, 35, 33]);
		expect(shown).not.toContain(20);
		await jobs.loadAll();
		expect(jobs.entries.value.length).toBe(35);
	});

	test('load the newest alone without losing the others or the end', async () => {
		const { jobs, asked, change } = served(35);
		await jobs.loadMore();
		await jobs.loadMore();
		change((all) => all.map((each) => ({ ...each, status: 'completed' })));
		await jobs.refresh();
		change((all) => [job(36), ...all.filter(({ created_at: at }) => at !== 33)]);
		asked.length = 0;
		await jobs.loadNewest();
		expect(asked).toEqual([undefined]);
		expect(numbers(jobs.entries.value)).toEqual([36, 35, 34, ...Array.from({ length: 17 }, (_, index) => 32 - index)]);
		await jobs.loadMore();
		expect(asked).toEqual([undefined, idOf(16)]);
	});

	test('load all pages again when more than a page is new, and show no loading', async () => {
		const { jobs, change } = served(15);
		await jobs.loadMore();
		await jobs.loadAll();
		change((all) => [...Array.from({ length: 25 }, (_, index) => job(40 - index)), ...all]);
		const done = jobs.loadNewest();
		expect(jobs.isLoading.value).toBe(false);
		await done;
		expect([jobs.entries.value.length, jobs.hasMore.value]).toEqual([40, false]);
	});

	test('follow pending jobs behind the first page', async () => {
		const { jobs, change } = served(15);
		await jobs.loadMore();
		await jobs.loadAll();
		change((all) => all.map((each) => ({ ...each, status: 'completed' })));
		await jobs.loadNewest();
		expect(jobs.entries.value.filter(({ job: { status } }) => status === 'queued')).toEqual([]);
	});

	test('contain a job that was loaded alone at once, unless it was deleted', async () => {
		const scheduled: (() => void)[] = [];
		const jobs = new LiveJobs({
			load: async () => page([], false),
			schedule: (callback) => {
				scheduled.push(callback);
			},
		});
		await jobs.loadOne(async () => job(1));
		expect(numbers(jobs.entries.value)).toEqual([1]);
		jobs.remove(idOf(1));
		await jobs.loadOne(async () => job(1));
		expect(jobs.entries.value).toEqual([]);
	});

	test('go on after an error with what is old first', async () => {
		let isBroken = true;
		const jobs = new LiveJobs({
			load: async () => {
				if (isBroken) throw new Error('away');
				return page([job(1)], false);
			},
			schedule: (callback) => callback(),
		});
		await jobs.refresh();
		expect([jobs.error.value, jobs.isLoading.value]).toEqual([new Error('away'), false]);
		isBroken = false;
		await jobs.loadMore();
		expect([jobs.error.value, jobs.entries.value.length]).toEqual([undefined, 1]);
	});
});

describe('a filter', () => {
	const failed = { job: job(1, { status: 'failed', error: { code: 'model_error', message: 'Out of Colours' } }) };

	test.each([
		[{ status: '', text: '' }, true],
		[{ status: 'failed', text: '' }, true],
		[{ status: 'queued', text: '' }, false],
		[{ status: '', text: ' colours JOB ' }, true],
		[{ status: '', text: 'colours model_error missing' }, false],
		[{ status: '', text: idOf(1) }, true],
		[{ status: '', text: 'aaa' }, false],
	])('%j', (filter, expected) => {
		expect(matcher(filter)(failed)).toBe(expected);
	});
});
