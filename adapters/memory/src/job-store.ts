import {
	type Claim,
	type Clock,
	type Completion,
	type CreateOptions,
	type DueJob,
	defineBackend,
	type EventPage,
	type EventQuery,
	type Heartbeat,
	type HeartbeatUpdate,
	type Job,
	type JobError,
	type JobListOptions,
	type JobPage,
	type JobState,
	type JobStep,
	type JobStore,
	jobState,
	type NewJob,
	plinthError,
	type StoreTime,
	type SweepItem,
	services,
	type TakeOptions,
} from '@plinth/core';
import { z } from 'zod';
import { EventLog } from './event-log.ts';
import { Offers } from './offers.ts';
import { byAge, findRepeat } from './repeats.ts';

/** Jobs that live as long as the process. */
export const memoryJobs = defineBackend({
	name: 'memoryJobs',
	provides: services.jobs,
	config: z.strictObject({
		/** How long an ended job, and every event, is kept. */
		recordRetentionHours: z.coerce.number<number | string>().positive().default(168),
	}),
	needs: { clock: services.clock },
	create: ({ config, services: { clock } }) =>
		new MemoryJobStore(clock, Math.round(config.recordRetentionHours * 3_600_000)),
});

/**
 * The reference implementation of `JobStore`: the state machine of the kernel over a map. Bodies never await, so
 * each method is one transaction; what goes in and comes out is copied, so that callers cannot reach the states.
 */
class MemoryJobStore implements JobStore {
	readonly #states = new Map<string, JobState>();
	readonly #log = new EventLog();
	readonly #offers = new Offers();
	/** The tenant of each kind that was served last. */
	readonly #served = new Map<string, string>();
	readonly #leaders = new Map<string, { readonly holder: string; readonly until: number }>();
	readonly #clock: Clock;
	readonly #recordRetentionMs: number;

	constructor(clock: Clock, recordRetentionMs: number) {
		this.#clock = clock;
		this.#recordRetentionMs = recordRetentionMs;
	}

	/** The same for every process: bytes of an earlier one belong to nobody any more, so they are swept. */
	async identity(): Promise<string> {
		return 'memory';
	}

	async create(job: NewJob, options: CreateOptions = {}) {
		const { now } = this.#time();
		const { idempotency, maxPending = Number.POSITIVE_INFINITY } = options;
		const earlier = idempotency && findRepeat(this.#visible(), job, idempotency, now);
		if (earlier) {
			const { key, retry } = idempotency;
			if (key === undefined) this.#states.set(earlier.job.id, { ...earlier, receivedRetry: retry });
			return { job: this.#show(earlier), replayed: true };
		}
		if (this.#countPending(job.kind, job.tenant) >= maxPending) throw plinthError('E_QUEUE_FULL');
		if (this.#states.has(job.id)) throw new Error(`There is already a job with the id "${job.id}".`);
		const state = this.#keep(jobState.createJob(structuredClone(job), idempotency, now));
		return { job: this.#show(state), replayed: false };
	}

	async get(tenant: string, id: string): Promise<Job | null> {
		const state = this.#find(tenant, id);
		return state ? this.#show(state) : null;
	}

	async list(tenant: string, options: JobListOptions): Promise<JobPage> {
		const { kind, after, limit, order, pending = false } = options;
		const direction = order === 'asc' ? 1 : -1;
		const behind = (id: string) => after === undefined || (order === 'asc' ? id > after : id < after);
		const found = this.#visible()
			.filter((state) => !pending || jobState.isPending(state))
			.filter(({ job }) => job.tenant === tenant && job.kind === kind && behind(job.id))
			.sort((a, b) => direction * byId(a, b));
		const jobs = found.slice(0, limit).map((state) => this.#show(state));
		return { jobs, hasMore: found.length > limit };
	}

	async requestCancel(tenant: string, id: string): Promise<Job | null> {
		const state = this.#find(tenant, id);
		return state && this.#show(this.#keep(jobState.cancelJob(state, this.#time())));
	}

	async remove(tenant: string, id: string): Promise<Job | null> {
		const state = this.#find(tenant, id);
		return state && this.#show(this.#keep(jobState.removeJob(state, this.#clock.now())));
	}

	async take(kind: string, worker: string, options: TakeOptions): Promise<readonly Claim[]> {
		const time = this.#time();
		const { models, limits, count, leaseMs, running = [], perTenant = Number.POSITIVE_INFINITY } = options;
		const left = new Map(Object.entries(limits ?? {}));
		this.#offers.note(kind, worker, models, time.now);
		const due = [...this.#states.values()].filter(
			(state) => state.job.kind === kind && jobState.isDue(state, time.now) && !running.includes(state.job.id),
		);
		const spent = due.filter(jobState.mayNotRun);
		for (const state of spent.sort(byId)) this.#keep(jobState.endSpentJob(state, time));

		const waiting = due
			.filter((state) => !jobState.mayNotRun(state))
			.filter(({ job }) => models === undefined || models.includes(job.model))
			.sort(byId);
		const runs = running.flatMap((id) => this.#states.get(id)?.job.tenant ?? []);
		const claims: Claim[] = [];
		while (claims.length < count) {
			const free = waiting.filter(
				({ job }) => countOf(runs, job.tenant) < perTenant && (left.get(job.model) ?? count) > 0,
			);
			const next = nextInTurn(free, this.#served.get(kind) ?? '');
			if (!next) break;
			waiting.splice(waiting.indexOf(next), 1);
			runs.push(next.job.tenant);
			left.set(next.job.model, (left.get(next.job.model) ?? Number.POSITIVE_INFINITY) - 1);
			this.#served.set(kind, next.job.tenant);
			const { job } = this.#keep(jobState.takeJob(next, leaseMs, time.now));
			claims.push({ job: structuredClone(job), fence: job.fence });
		}
		return claims;
	}

	async due(kind: string, models: readonly string[], limit: number): Promise<readonly DueJob[]> {
		const { now } = this.#time();
		return [...this.#states.values()]
			.filter((state) => jobState.isDue(state, now) && state.job.kind === kind && models.includes(state.job.model))
			.sort(byId)
			.slice(0, limit)
			.map(({ job: { id, tenant, model } }) => ({ id, tenant, model }));
	}

	async heartbeat(id: string, fence: number, update: HeartbeatUpdate = {}): Promise<Heartbeat> {
		const found = this.#states.get(id);
		if (!found) return 'lost';
		const { state, answer } = jobState.heartbeatJob(found, fence, update, this.#clock.now());
		this.#states.set(id, state);
		return answer;
	}

	async complete(id: string, fence: number, completion: Completion): Promise<boolean> {
		const copy = structuredClone(completion);
		return this.#end(id, (state) => jobState.completeJob(state, fence, copy, this.#time()));
	}

	async fail(id: string, fence: number, error: JobError, retryInMs?: number): Promise<boolean> {
		const time = this.#time();
		return this.#end(id, (state) => jobState.failJob(state, fence, error, retryInMs, time));
	}

	async release(id: string, fence: number): Promise<boolean> {
		return this.#end(id, (state) => jobState.releaseJob(state, fence));
	}

	async sweep(limit: number): Promise<readonly SweepItem[]> {
		const { now } = this.#time();
		const isDue = (at: number | null) => at !== null && at <= now;
		const states = [...this.#states.values()].sort(byAge);
		const records = states.filter(({ recordDueAt }) => isDue(recordDueAt));
		const contents = states.filter((state) => isDue(state.contentDueAt) && !isDue(state.recordDueAt));
		const item = (due: SweepItem['due']) => (state: JobState) => {
			const { id, kind, tenant } = state.job;
			return { due, id, kind, tenant };
		};
		return [...records.map(item('record')), ...contents.map(item('content'))].slice(0, limit);
	}

	async swept(items: readonly SweepItem[]): Promise<void> {
		for (const { due, id, tenant } of items) {
			const state = this.#states.get(id);
			if (!state || state.job.tenant !== tenant) continue;
			if (due === 'content') this.#states.set(id, { ...state, contentDueAt: null });
			else if (state.recordDueAt !== null) this.#states.delete(id);
		}
	}

	async tidy(): Promise<void> {
		const time = this.#time();
		this.#log.dropBefore(time.now - this.#recordRetentionMs);
		this.#offers.trim(time.now);
		for (const state of [...this.#states.values()].sort(byId)) this.#tidy(state, time);
	}

	async known(ids: readonly string[]): Promise<readonly string[]> {
		return ids.filter((id) => this.#states.has(id));
	}

	async events(cursor: string | undefined, query: EventQuery): Promise<EventPage> {
		return this.#log.read(cursor, query);
	}

	async head(): Promise<string> {
		return this.#log.head;
	}

	async pending(kind: string, tenant?: string): Promise<number> {
		return this.#countPending(kind, tenant);
	}

	async lead(duty: string, holder: string, leaseMs: number): Promise<boolean> {
		const now = this.#clock.now();
		const present = this.#leaders.get(duty);
		const isSetBack = leaseMs > 0 && present !== undefined && present.until > now + leaseMs;
		const isHeld = present !== undefined && present.until > now && !isSetBack;
		if (isHeld && present.holder !== holder) return false;
		this.#leaders.set(duty, { holder, until: now + leaseMs });
		return true;
	}

	/**
	 * Cuts a lease that a clock set back has made long, or looks whether a worker offers the model of a job that
	 * waits.
	 */
	#tidy(state: JobState, time: StoreTime): void {
		const { job, dueAt, leaseMs } = state;
		if (jobState.isDue(state, time.now)) {
			this.#keep(jobState.noteOffer(state, this.#offers.has(job.kind, job.model), time));
		} else if (job.status === 'in_progress' && dueAt !== null) {
			this.#states.set(job.id, { ...state, dueAt: Math.min(dueAt, time.now + leaseMs) });
		}
	}

	#time(): StoreTime {
		return { now: this.#clock.now(), recordRetentionMs: this.#recordRetentionMs };
	}

	#countPending(kind: string, tenant?: string): number {
		return this.#visible().filter(
			(state) =>
				state.job.kind === kind && (tenant === undefined || state.job.tenant === tenant) && jobState.isPending(state),
		).length;
	}

	#visible(): JobState[] {
		return [...this.#states.values()].filter(({ removed }) => !removed);
	}

	#find(tenant: string, id: string): JobState | null {
		const state = this.#states.get(id);
		return state && !state.removed && state.job.tenant === tenant ? state : null;
	}

	#show(state: JobState): Job {
		return structuredClone(jobState.jobAt(state, this.#clock.now()));
	}

	#end(id: string, end: (state: JobState) => JobStep | null): boolean {
		const state = this.#states.get(id);
		const step = state ? end(state) : null;
		if (step) this.#keep(step);
		return step !== null;
	}

	#keep({ state, event }: JobStep): JobState {
		const { id: jobId, kind, tenant } = state.job;
		this.#states.set(jobId, state);
		if (event) {
			const data = jobState.eventFacts(event, state);
			this.#log.append({ type: event, jobId, kind, tenant, at: this.#clock.now(), data });
		}
		return state;
	}
}

function byId({ job: a }: JobState, { job: b }: JobState): number {
	return a.id < b.id ? -1 : 1;
}

function countOf(tenants: readonly string[], tenant: string): number {
	return tenants.filter((name) => name === tenant).length;
}

/** Of states by id, the first one of the tenant behind `last` in the ring of their names. */
function nextInTurn(states: readonly JobState[], last: string): JobState | undefined {
	const names = [...new Set(states.map(({ job }) => job.tenant))].sort();
	const turn = names.find((name) => name > last) ?? names[0];
	return states.find(({ job }) => job.tenant === turn);
}
