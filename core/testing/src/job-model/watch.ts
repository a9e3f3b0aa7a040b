import assert from 'node:assert/strict';
import type { Claim, Job, JobEvent } from '@plinth/core';
import type { Call } from './calls.ts';

/** Checks invariants of the answers of a store, independent of the model. */
export class Watch {
	readonly #seen = new Map<string, Job>();
	readonly #removed = new Set<string>();
	readonly #claimed = new Map<string, number>();

	/**
	 * Checks the answers of concurrent calls. They are compared only with those of earlier calls, because they have no
	 * order among themselves.
	 */
	round(answers: readonly { readonly request: Call; readonly answer: unknown }[]): void {
		const jobs = answers.flatMap(({ answer }) => jobsIn(answer));
		for (const job of jobs) this.#check(job);
		for (const job of jobs) {
			const last = this.#seen.get(job.id);
			if (!last || last.fence <= job.fence) this.#seen.set(job.id, job);
		}
		for (const { request, answer } of answers) {
			if (request.call === 'remove' && answer) this.#removed.add(request.id);
			if (request.call === 'take') for (const claim of answer as Claim[]) this.#claim(claim);
			if (request.call === 'events') checkOrder((answer as { events: JobEvent[] }).events);
		}
	}

	#check(job: Job): void {
		const { id, status, progress, attempt, maxAttempts, fence } = job;
		assert(!this.#removed.has(id), `${id} came back after it was removed`);
		assert(attempt >= 0 && attempt <= maxAttempts, `${id} has ${attempt} attempts`);
		assert.equal(progress === 1, status === 'completed', `${id}: progress 1 means completed`);
		const last = this.#seen.get(id);
		if (!last) return;
		assert(progress >= last.progress, `the progress of ${id} fell`);
		assert(fence >= last.fence, `the fence of ${id} fell`);
		if (last.status === 'completed' || last.status === 'failed')
			assert.deepEqual({ ...job, expired: false }, { ...last, expired: false });
	}

	#claim({ job, fence }: Claim): void {
		assert(fence > (this.#claimed.get(job.id) ?? 0), `the fence of ${job.id} did not rise`);
		this.#claimed.set(job.id, fence);
	}
}

/** No event follows the removal of a job, and only the removal follows its end. */
function checkOrder(events: readonly JobEvent[]): void {
	const ended = new Map<string, string>();
	for (const { jobId, type } of events) {
		const last = ended.get(jobId);
		assert(!last || (type === 'job.deleted' && last !== type), `${type} follows ${last}`);
		if (type !== 'job.queued' && type !== 'job.started') ended.set(jobId, type);
	}
}

function jobsIn(answer: unknown): Job[] {
	if (Array.isArray(answer)) return answer.flatMap(jobsIn);
	const { job, jobs } = (answer ?? {}) as { job?: Job; jobs?: Job[] };
	if (jobs) return jobs;
	if (job) return [job];
	return (answer as Partial<Job> | null)?.status ? [answer as Job] : [];
}
