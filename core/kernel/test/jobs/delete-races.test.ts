import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BlobStore, JobRun, JobStore } from '../../src/index.ts';
import { alice, type Machine, machine } from './harness.ts';

const media = { contentType: 'video/mp4' };
const picture = { name: 'picture', mediaType: 'image/png', body: new Uint8Array([1]) };

/** The steps of the work of a job, and its end. */
interface Story {
	readonly steps: readonly ('put' | 'checkpoint' | 'progress')[];
	readonly end: 'return' | 'throw' | 'hang' | 'ignore';
	/** The number of turns that the owner waits before the delete. */
	readonly turnsBeforeDelete: number;
	/** How far the clock advances: not at all, to the next heartbeat, or to the end of the lease. */
	readonly clockMs: number;
	readonly isCancelledFirst: boolean;
}

const story: fc.Arbitrary<Story> = fc.record({
	steps: fc.array(fc.constantFrom('put' as const, 'checkpoint' as const, 'progress' as const), {
		maxLength: 4,
	}),
	end: fc.constantFrom('return', 'return', 'throw', 'hang', 'ignore'),
	turnsBeforeDelete: fc.nat(12),
	clockMs: fc.constantFrom(0, 0, 5_000, 20_000),
	isCancelledFirst: fc.boolean(),
});

test('a delete that races with a job leaves no record, no bytes and no running work', async () => {
	await fc.assert(
		fc.asyncProperty(fc.scheduler(), story, async (scheduler, drawn) => {
			const race = new Race(scheduler, drawn);
			await race.run();
		}),
		{ numRuns: 500 },
	);
}, 60_000);

/**
 * One job, its worker and its owner. The scheduler chooses the order in which their calls to store and blobs take
 * effect and return.
 */
class Race {
	readonly #scheduler: fc.Scheduler;
	readonly #story: Story;
	#isRacing = true;
	#runs: JobRun[] = [];
	#ended = 0;
	#cancelledUpstream = 0;

	constructor(scheduler: fc.Scheduler, story: Story) {
		this.#scheduler = scheduler;
		this.#story = story;
	}

	async run(): Promise<void> {
		const m: Machine = await machine(
			{
				run: (job, run) => this.#work(m, job.id, run),
				cancel: async () => {
					this.#cancelledUpstream += 1;
				},
			},
			{
				store: (store) => this.#scheduled<JobStore>(store),
				blobs: (blobs) => this.#scheduled<BlobStore>(blobs),
			},
		);
		m.worker.start();
		const owner = this.#own(m);
		const isDone = owner.then(() => {
			this.#isRacing = false;
		});
		await this.#scheduler.waitFor(isDone);
		// Pending calls in the scheduler continue, and the leases of running jobs lapse.
		await this.#settle(m);
		await this.#check(m, await owner);
	}

	/** The owner creates the job and deletes it later. */
	async #own(m: Machine): Promise<string> {
		const { job } = await m.jobs.submit({
			principal: alice,
			model: 'm',
			attachments: [picture],
			input: () => ({}),
		});
		for (let turn = 0; turn < this.#story.turnsBeforeDelete; turn += 1) {
			await this.#scheduler.schedule(Promise.resolve(), 'wait');
		}
		await m.clock.advance(this.#story.clockMs);
		if (this.#story.isCancelledFirst) await m.jobs.cancel('a', job.id);
		await m.jobs.remove('a', job.id);
		return job.id;
	}

	async #work(m: Machine, id: string, run: JobRun) {
		this.#runs.push(run);
		try {
			for (const [index, step] of this.#story.steps.entries()) {
				if (step === 'put') await m.blobs.put(run.blobKey(`part${index}`), new Uint8Array([1]), media);
				if (step === 'checkpoint') await run.checkpoint(`upstream of ${id}`);
				if (step === 'progress') run.progress(0.5);
			}
			if (this.#story.end === 'throw') throw new Error('broken');
			if (this.#story.end === 'hang') await aborted(run);
			// Work that ignores its signal continues and returns bytes late.
			if (this.#story.end === 'ignore') await aborted(run).catch(() => {});
			await m.blobs.put(run.blobKey('video'), new Uint8Array([1]), media);
			return { result: { by: 'the work' }, retentionMs: 1_000 };
		} finally {
			this.#ended += 1;
		}
	}

	async #settle(m: Machine): Promise<void> {
		for (let round = 0; round < 8; round += 1) {
			await this.#scheduler.waitIdle();
			await m.clock.advance(5_000);
			await m.housekeeping.sweep();
		}
		await m.worker.close();
	}

	async #check(m: Machine, id: string): Promise<void> {
		await expect(m.jobs.get('a', id)).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
		await expect(m.jobs.remove('a', id)).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
		const { events } = await m.store.events(undefined, { limit: 100 });
		const types = events.map(({ type }) => type);
		expect(types.at(-1)).toBe('job.deleted');
		expect(types.filter((type) => type === 'job.deleted')).toHaveLength(1);
		expect({
			keys: await m.keys(),
			known: await m.store.known([id]),
			running: m.worker.running,
			unended: this.#runs.length - this.#ended,
			pending: await m.store.pending('work'),
		}).toEqual({ keys: [], known: [], running: 0, unended: 0, pending: 0 });
		expect(this.#cancelledUpstream).toBeLessThanOrEqual(1 + this.#runs.length);
	}

	/** The scheduler decides when each call takes effect and when it returns. */
	#scheduled<T extends object>(target: T): T {
		return new Proxy(target, {
			get: (inner, name) => {
				const value = Reflect.get(inner, name) as unknown;
				if (typeof value !== 'function') return value;
				const call = value.bind(inner) as (...args: unknown[]) => unknown;
				if (name === 'list') return call;
				return async (...args: unknown[]) => {
					if (this.#isRacing) await this.#scheduler.schedule(Promise.resolve(), String(name));
					const answer = await call(...args);
					if (this.#isRacing) await this.#scheduler.schedule(Promise.resolve(), `${String(name)} answers`);
					return answer;
				};
			},
		});
	}
}

function aborted({ signal }: JobRun): Promise<never> {
	return new Promise((_, reject) => {
		if (signal.aborted) reject(signal.reason);
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
	});
}
