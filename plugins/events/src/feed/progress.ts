import type { Clock, Job, JobStore } from '@plinth/core';
import type { FeedEvent } from './updates.ts';

/** The most records that one round reads. */
const maxReads = 200;
/** Progress is told once a second; timers are not exact. */
const everyMs = 950;

interface Running {
	readonly tenant: string;
	readonly kind: string;
	/** The fraction that was told last. */
	told: number;
	/** When that was; undefined until a first one was told. */
	toldAt: number | undefined;
	/** When it was heard of last. */
	at: number;
}

/** What progress is told with. */
export interface ProgressTools {
	readonly store: Pick<JobStore, 'get'>;
	readonly clock: Clock;
	/** Whether anybody follows the job. */
	readonly isWanted: (tenant: string, jobId: string) => boolean;
	readonly tell: (happening: FeedEvent) => void;
}

/**
 * Tells how far followed jobs are: hints of this process at once, and what other processes write by looking at the records of jobs
 * of which nothing was heard for a second. A round looks at some hundred of them at most, and the next one goes on behind.
 */
export class ProgressWatch {
	readonly #tools: ProgressTools;
	/** Those that were looked at longest ago come first. */
	readonly #running = new Map<string, Running>();
	#isLooking = false;

	constructor(tools: ProgressTools) {
		this.#tools = tools;
	}

	/** A followed job runs. */
	started({ id, tenant, kind, progress }: Pick<Job, 'id' | 'tenant' | 'kind' | 'progress'>): void {
		if (this.#running.has(id)) return;
		const at = this.#tools.clock.now();
		this.#running.set(id, { tenant, kind, told: progress, toldAt: undefined, at });
	}

	/** It runs no more. */
	ended(jobId: string): void {
		this.#running.delete(jobId);
	}

	/** Its worker says how far it is. What comes too early the next round tells. */
	heard(jobId: string, fraction: number): void {
		const running = this.#running.get(jobId);
		if (!running || fraction <= running.told) return;
		if (running.toldAt === undefined || this.#isDue(running.toldAt)) {
			this.#tell(jobId, running, fraction);
		}
	}

	/** Looks at jobs of which nothing was heard. Rejects when the store does not answer. */
	async look(): Promise<void> {
		if (this.#isLooking) return;
		this.#isLooking = true;
		try {
			for (const [jobId, running] of this.#due()) await this.#lookAt(jobId, running);
		} finally {
			this.#isLooking = false;
		}
	}

	/** Forgets all jobs. */
	clear(): void {
		this.#running.clear();
	}

	#due(): readonly (readonly [string, Running])[] {
		const due: [string, Running][] = [];
		for (const entry of this.#running) {
			const [jobId, running] = entry;
			if (!this.#tools.isWanted(running.tenant, jobId)) this.#running.delete(jobId);
			else if (this.#isDue(running.at)) due.push(entry);
			if (due.length === maxReads) break;
		}
		return due;
	}

	async #lookAt(jobId: string, running: Running): Promise<void> {
		const job = await this.#tools.store.get(running.tenant, jobId);
		if (this.#running.get(jobId) !== running) return;
		if (job?.status !== 'in_progress') {
			this.#running.delete(jobId);
			return;
		}
		if (job.progress > running.told) this.#tell(jobId, running, job.progress);
		else this.#touch(jobId, running);
	}

	#tell(jobId: string, running: Running, fraction: number): void {
		this.#touch(jobId, running);
		const { tenant, kind, at } = running;
		running.told = fraction;
		running.toldAt = at;
		this.#tools.tell({ type: 'job.progress', cursor: undefined, at, jobId, kind, tenant });
	}

	#touch(jobId: string, running: Running): void {
		running.at = this.#tools.clock.now();
		this.#running.delete(jobId);
		this.#running.set(jobId, running);
	}

	/** Either way: the clock may have been set. */
	#isDue(at: number): boolean {
		return Math.abs(this.#tools.clock.now() - at) >= everyMs;
	}
}
