import {
	absentFrom,
	type Claim,
	type Clock,
	type Completion,
	type CreateOptions,
	checkLoadable,
	type DueJob,
	type EventPage,
	type EventQuery,
	type Heartbeat,
	type HeartbeatUpdate,
	type Job,
	type JobDump,
	type JobError,
	type JobListOptions,
	type JobPage,
	type JobState,
	type JobStep,
	type JobStore,
	jobState,
	type NewJob,
	partsOf,
	plinthError,
	type StoreTime,
	type SweepItem,
	type TakeOptions,
} from '@plinth/core';
import { EventLog } from './event-log.ts';
import { Offers } from './offers.ts';
import { byAge, findRepeat } from './repeats.ts';
import { fromStored, toStored } from './stored.ts';
import { byId, countOf, nextInTurn } from './turns.ts';

/**
 * The reference implementation of `JobStore`: the state machine of the kernel over a map. Methods never await, so each
 * is one transaction. Arguments and results are copied, so that callers cannot change the states.
 */
export class MemoryJobStore implements JobStore {
	readonly #states = new Map<string, JobState>();
	readonly #log = new EventLog();
	/** The same for every process, so that bytes of jobs of earlier processes are swept: these jobs no longer exist. */
	#identity = 'memory';
	readonly #offers = new Offers();
	/** The tenant that was served last, by kind. */
	readonly #served = new Map<string, string>();
	readonly #leaders = new Map<string, { readonly holder: string; readonly until: number }>();
	readonly #clock: Clock;
	readonly #recordRetentionMs: number;

	constructor(clock: Clock, recordRetentionMs: number) {
		this.#clock = clock;
		this.#recordRetentionMs = recordRetentionMs;
	}

	async identity(): Promise<string> {
		return this.#identity;
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
		const step = jobState.createJob(structuredClone(job), idempotency, now);
		return { job: this.#show(this.#keep(step)), replayed: false };
	}

	async get(tenant: string, id: string): Promise<Job | null> {
		const state = this.#find(tenant, id);
		return state ? this.#show(state) : null;
	}

	async list(tenant: string, options: JobListOptions): Promise<JobPage> {
		const { kind, after, limit, order, pending = false } = options;
		const direction = order === 'asc' ? 1 : -1;
		const isAfter = (id: string) => after === undefined || (order === 'asc' ? id > after : id < after);
		const matching = (pending ? this.#visible().filter(jobState.isPending) : this.#visible())
			.filter(({ job }) => job.tenant === tenant && job.kind === kind && isAfter(job.id))
			.sort((a, b) => direction * byId(a, b));
		const jobs = matching.slice(0, limit).map((state) => this.#show(state));
		return { jobs, hasMore: matching.length > limit };
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
		const limitsLeft = new Map(Object.entries(limits ?? {}));
		this.#offers.note(kind, worker, models, time.now);
		const due = [...this.#states.values()].filter(
			(state) => state.job.kind === kind && jobState.isDue(state, time.now) && !running.includes(state.job.id),
		);
		for (const state of due.filter(jobState.mayNotRun).sort(byId)) this.#keep(jobState.endSpentJob(state, time));

		const waiting = due
			.filter((state) => !jobState.mayNotRun(state))
			.filter(({ job }) => models === undefined || models.includes(job.model))
			.sort(byId);
		const runningTenants = running.flatMap((id) => this.#states.get(id)?.job.tenant ?? []);
		const claims: Claim[] = [];
		while (claims.length < count) {
			const free = waiting.filter(
				({ job }) => countOf(runningTenants, job.tenant) < perTenant && (limitsLeft.get(job.model) ?? count) > 0,
			);
			const next = nextInTurn(free, this.#served.get(kind) ?? '');
			if (!next) break;
			waiting.splice(waiting.indexOf(next), 1);
			runningTenants.push(next.job.tenant);
			limitsLeft.set(next.job.model, (limitsLeft.get(next.job.model) ?? Number.POSITIVE_INFINITY) - 1);
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
		const current = this.#states.get(id);
		if (!current) return 'lost';
		const { state, answer } = jobState.heartbeatJob(current, fence, update, this.#clock.now());
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
		const item =
			(due: SweepItem['due']) =>
			({ job: { id, kind, tenant } }: JobState) => ({ due, id, kind, tenant });
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
		this.#log.dropBefore(time.now - time.recordRetentionMs);
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
		const current = this.#leaders.get(duty);
		const isClockSetBack = leaseMs > 0 && current !== undefined && current.until > now + leaseMs;
		const isHeld = current !== undefined && current.until > now && !isClockSetBack;
		if (isHeld && current.holder !== holder) return false;
		this.#leaders.set(duty, { holder, until: now + leaseMs });
		return true;
	}

	async *dump(): AsyncGenerator<JobDump> {
		const { trimmed, head } = this.#log;
		yield { type: 'store', identity: this.#identity, trimmed, head };
		for (const state of [...this.#states.values()].sort(byId)) yield { type: 'job', job: toStored(state) };
		for (const event of this.#log.all()) yield { type: 'event', event: structuredClone(event) };
	}

	async load(parts: readonly JobDump[]): Promise<void> {
		const { store, ...dump } = partsOf(structuredClone(parts));
		const own = { identity: this.#identity, head: this.#log.head, hasJobs: this.#states.size > 0 };
		if (store) checkLoadable(store, own);
		const jobs = absentFrom([...this.#states.values()].map(toStored), dump.jobs, ({ id }) => id);
		const events = absentFrom(this.#log.all(), dump.events, ({ cursor }) => `event ${cursor}`);
		for (const job of jobs) this.#states.set(job.id, fromStored(job));
		this.#log.load(events, store?.head ?? own.head);
		this.#identity = store?.identity ?? this.#identity;
	}

	/** Shortens a lease after a clock was set back, or notes whether a worker offers the model of a waiting job. */
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
		const matches = ({ job }: JobState) => job.kind === kind && (tenant ?? job.tenant) === job.tenant;
		return this.#visible().filter((state) => matches(state) && jobState.isPending(state)).length;
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
		const step = state && end(state);
		return step ? Boolean(this.#keep(step)) : false;
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
