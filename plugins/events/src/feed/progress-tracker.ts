import type { Clock, Job, JobStore } from '@plinth/core';
import type { FeedEvent } from './updates.ts';

/** Maximum records read per poll. */
const maxReads = 200;
/** Progress is published once a second; timers are not exact. */
const intervalMs = 950;

interface Running {
	readonly tenant: string;
	readonly kind: string;
	/** The fraction published last. */
	fraction: number;
	/** When it was published; undefined before the first time. */
	publishedAt: number | undefined;
	/** When the job was checked last. */
	checkedAt: number;
}

/** Dependencies of the tracker. */
export interface ProgressContext {
	readonly store: Pick<JobStore, 'get'>;
	readonly clock: Clock;
	/** Whether there is a subscription for the job. */
	readonly isFollowed: (tenant: string, jobId: string) => boolean;
	readonly publish: (event: FeedEvent) => void;
}

/**
 * Publishes the progress of followed jobs: hints of this process at once, and progress in other processes by reading
 * the records of jobs without a hint for a second. A poll reads at most `maxReads` records; the next one continues.
 */
export class ProgressTracker {
	readonly #context: ProgressContext;
	/** The least recently checked jobs come first. */
	readonly #running = new Map<string, Running>();
	#isPolling = false;

	constructor(context: ProgressContext) {
		this.#context = context;
	}

	/** A followed job has started. */
	started({ id, tenant, kind, progress }: Pick<Job, 'id' | 'tenant' | 'kind' | 'progress'>): void {
		if (this.#running.has(id)) return;
		const checkedAt = this.#context.clock.now();
		this.#running.set(id, { tenant, kind, fraction: progress, publishedAt: undefined, checkedAt });
	}

	/** The job has ended. */
	ended(jobId: string): void {
		this.#running.delete(jobId);
	}

	/** Publishes progress from a hint, at most once a second. The next poll publishes progress that comes earlier. */
	report(jobId: string, fraction: number): void {
		const running = this.#running.get(jobId);
		if (!running || fraction <= running.fraction) return;
		if (running.publishedAt === undefined || this.#isDue(running.publishedAt)) {
			this.#publish(jobId, running, fraction);
		}
	}

	/** Reads the records of jobs without recent hints. Rejects when the store fails. */
	async poll(): Promise<void> {
		if (this.#isPolling) return;
		this.#isPolling = true;
		try {
			for (const [jobId, running] of this.#due()) await this.#check(jobId, running);
		} finally {
			this.#isPolling = false;
		}
	}

	/** Removes all jobs. */
	clear(): void {
		this.#running.clear();
	}

	#due(): readonly (readonly [string, Running])[] {
		const due: [string, Running][] = [];
		for (const entry of this.#running) {
			const [jobId, running] = entry;
			if (!this.#context.isFollowed(running.tenant, jobId)) this.#running.delete(jobId);
			else if (this.#isDue(running.checkedAt)) due.push(entry);
			if (due.length === maxReads) break;
		}
		return due;
	}

	async #check(jobId: string, running: Running): Promise<void> {
		const job = await this.#context.store.get(running.tenant, jobId);
		if (this.#running.get(jobId) !== running) return;
		if (job?.status !== 'in_progress') {
			this.#running.delete(jobId);
			return;
		}
		if (job.progress > running.fraction) this.#publish(jobId, running, job.progress);
		else this.#touch(jobId, running);
	}

	#publish(jobId: string, running: Running, fraction: number): void {
		this.#touch(jobId, running);
		const { tenant, kind, checkedAt } = running;
		running.fraction = fraction;
		running.publishedAt = checkedAt;
		this.#context.publish({ type: 'job.progress', cursor: undefined, at: checkedAt, jobId, kind, tenant });
	}

	#touch(jobId: string, running: Running): void {
		running.checkedAt = this.#context.clock.now();
		this.#running.delete(jobId);
		this.#running.set(jobId, running);
	}

	/** The absolute difference, because the clock may have been set back. */
	#isDue(at: number): boolean {
		return Math.abs(this.#context.clock.now() - at) >= intervalMs;
	}
}
