import {
	idempotencyKeyMs,
	type Job,
	type JobEvent,
	type JobState,
	type JobStep,
	jobState,
	offerInstant,
	offerMs,
	plinthError,
	retryWindowMs,
} from '@plinth/core';
import { byId, type Call, callbackOf, failure, leaseMs, newJobOf } from './calls.ts';

const recordRetentionMs = 7 * 86_400_000;

type Event = Omit<JobEvent, 'cursor'> & { readonly seq: number };

interface Offer {
	readonly models: readonly string[] | undefined;
	readonly seenAt: number;
}

/**
 * A reference model of a job store: the state machine of the kernel over a map, with results as the contract defines
 * them. A model that is made from another one is an independent copy.
 */
export class JobModel {
	readonly states: Map<string, JobState>;
	readonly offers: Map<string, Offer>;
	served: string;
	leader: { readonly holder: string; readonly until: number };
	events: readonly Event[];
	seq: number;

	constructor(from?: JobModel) {
		this.states = new Map(from?.states);
		this.offers = new Map(from?.offers);
		this.served = from?.served ?? '';
		this.leader = from?.leader ?? { holder: '', until: 0 };
		this.events = from?.events ?? [];
		this.seq = from?.seq ?? 0;
	}

	/** Everything but the events, to compare models that have appended the same events. */
	get rest(): readonly unknown[] {
		return [this.states, this.offers, this.served, this.leader];
	}

	/** Performs a call and returns its result. */
	apply(request: Call): unknown {
		const { id, owner, token, now } = request;
		const time = { now, recordRetentionMs };
		const stored = this.states.get(id);
		const visible = stored && !stored.removed && stored.job.tenant === owner ? stored : undefined;
		switch (request.call) {
			case 'create':
				return this.#create(request);
			case 'get':
				return visible ? jobState.jobAt(visible, now) : null;
			case 'take':
				return this.#take(request);
			case 'heartbeat': {
				if (!stored) return 'lost';
				const { progress, checkpoint } = request;
				const update = { progress, ...(checkpoint && { checkpoint }) };
				const { state, answer } = jobState.heartbeatJob(stored, token, update, now);
				this.states.set(id, state);
				return answer;
			}
			case 'complete': {
				const completion = { result: { token }, retentionMs: request.ms ?? null };
				return this.#end(stored && jobState.completeJob(stored, token, completion, time), now);
			}
			case 'fail':
				return this.#end(stored && jobState.failJob(stored, token, failure, request.ms, time), now);
			case 'release':
				return this.#end(stored && jobState.releaseJob(stored, token), now);
			case 'cancel':
				return visible ? this.#show(jobState.cancelJob(visible, time), now) : null;
			case 'remove':
				return visible ? this.#show(jobState.removeJob(visible, now), now) : null;
			case 'list': {
				const sign = request.order === 'asc' ? 1 : -1;
				const matching = this.#of(owner)
					.filter((state) => !request.pending || jobState.isPending(state))
					.sort((a, b) => sign * byId(a.job, b.job))
					.filter(({ job }) => request.after === undefined || sign * (job.id > id ? 1 : -1) > 0)
					.filter(({ job }) => request.after === undefined || job.id !== id);
				const jobs = matching.slice(0, request.limit).map((state) => jobState.jobAt(state, now));
				return { jobs, hasMore: matching.length > request.limit };
			}
			case 'pending':
				return this.#pending(request.tenant === undefined ? undefined : owner);
			case 'sweep':
				return [...this.states.values()].flatMap((state) => due(state, now)).sort(byId);
			case 'swept':
				for (const { id: swept, due: what } of request.items) {
					const state = this.states.get(swept);
					if (state && what === 'content') this.states.set(swept, { ...state, contentDueAt: null });
					else if (state && state.recordDueAt !== null) this.states.delete(swept);
				}
				return undefined;
			case 'tidy':
				return this.#tidy(now);
			case 'lead': {
				const { until } = this.leader;
				const holds = until > now && (request.ms === 0 || until <= now + request.ms);
				if (holds && this.leader.holder !== request.holder) return false;
				this.leader = { holder: request.holder, until: now + request.ms };
				return true;
			}
			case 'known':
				return request.ids.filter((known) => this.states.has(known)).sort();
			case 'events':
				return {
					events: this.events
						.filter(({ seq }) => seq > request.seq)
						.filter(({ tenant }) => request.tenant === undefined || tenant === owner)
						.filter(({ jobId }) => request.job === undefined || jobId === id)
						.map(({ seq: _, ...event }) => event),
					missed: request.cursor !== undefined && request.seq < this.seq - this.events.length,
				};
		}
	}

	/** The ids of the running jobs, oldest first. */
	running(): string[] {
		return [...this.states.values()]
			.filter(({ job, removed }) => job.status === 'in_progress' && !removed)
			.map(({ job }) => job.id);
	}

	#create(request: Call & { call: 'create' }): unknown {
		const { id, owner, now, idempotency, maxPending } = request;
		const { key, fingerprint, retry = 0 } = idempotency ?? {};
		const newest = this.#of(owner)
			.filter(({ idempotency: made }) => (key === undefined ? made?.fingerprint === fingerprint : made?.key === key))
			.filter(({ job }) => job.createdAt >= now - (key ? idempotencyKeyMs : retryWindowMs))
			.sort((a, b) => a.job.createdAt - b.job.createdAt || byId(a.job, b.job))
			.at(-1);
		if (newest && key !== undefined && newest.idempotency?.fingerprint !== fingerprint)
			throw plinthError('E_IDEMPOTENCY_MISMATCH');
		if (newest && idempotency && (key !== undefined || newest.receivedRetry < retry)) {
			if (key === undefined) this.states.set(newest.job.id, { ...newest, receivedRetry: retry });
			return { job: jobState.jobAt(newest, now), replayed: true };
		}
		if (maxPending !== undefined && this.#pending(owner) >= maxPending) throw plinthError('E_QUEUE_FULL');
		const job = { ...newJobOf(request), ...callbackOf(id) };
		return { job: this.#show(jobState.createJob(job, idempotency, now), now), replayed: false };
	}

	#take({ now, holder, models, count, perTenant, busy }: Call & { call: 'take' }): unknown {
		const time = { now, recordRetentionMs };
		this.offers.set(holder, { models, seenAt: offerInstant(now) });
		const dueStates = () =>
			[...this.states.values()]
				.filter((state) => jobState.isDue(state, now) && !busy.includes(state.job.id))
				.sort((a, b) => byId(a.job, b.job));
		for (const state of dueStates().filter(jobState.mayNotRun)) this.#keep(jobState.endSpentJob(state, time), now);
		const tenants = busy.flatMap((id) => this.states.get(id)?.job.tenant ?? []);
		const claims = [];
		while (claims.length < count) {
			const free = dueStates()
				.filter(({ job }) => models?.includes(job.model) ?? true)
				.filter(({ job }) => {
					const running = tenants.filter((tenant) => tenant === job.tenant).length;
					return perTenant === undefined || running < perTenant;
				});
			const names = free.map(({ job }) => job.tenant).sort();
			const turn = names.find((name) => name > this.served) ?? names[0];
			const next = free.find(({ job }) => job.tenant === turn);
			if (!next || turn === undefined) break;
			tenants.push(turn);
			this.served = turn;
			const job = this.#show(jobState.takeJob(next, leaseMs, now), now);
			claims.push({ job, fence: job.fence });
		}
		return claims;
	}

	#tidy(now: number): void {
		const kept = this.events.findIndex(({ at }) => at >= now - recordRetentionMs);
		this.events = kept === -1 ? [] : this.events.slice(kept);
		for (const [holder, offer] of this.offers) {
			if (offer.seenAt <= now - offerMs) this.offers.delete(holder);
			else if (offer.seenAt > now) this.offers.set(holder, { ...offer, seenAt: offerInstant(now) });
		}
		const isOffered = (model: string) =>
			[...this.offers.values()].some(({ models }) => models?.includes(model) ?? true);
		for (const state of [...this.states.values()].sort((a, b) => byId(a.job, b.job))) {
			const { job, dueAt } = state;
			if (jobState.isDue(state, now)) {
				const time = { now, recordRetentionMs };
				this.#keep(jobState.noteOffer(state, isOffered(job.model), time), now);
			} else if (job.status === 'in_progress' && dueAt !== null) {
				this.states.set(job.id, { ...state, dueAt: Math.min(dueAt, now + state.leaseMs) });
			}
		}
	}

	#end(step: JobStep | null | undefined, now: number): boolean {
		if (step) this.#keep(step, now);
		return Boolean(step);
	}

	#show(step: JobStep, now: number): Job {
		this.#keep(step, now);
		return jobState.jobAt(step.state, now);
	}

	#keep({ state, event: type }: JobStep, at: number): void {
		const { id: jobId, kind, tenant } = state.job;
		this.states.set(jobId, state);
		if (!type) return;
		this.seq += 1;
		const data = jobState.eventFacts(type, state);
		this.events = [...this.events, { seq: this.seq, type, jobId, kind, tenant, at, data }];
	}

	#of(tenant: string | undefined): JobState[] {
		return [...this.states.values()].filter(
			({ job, removed }) => !removed && (tenant === undefined || job.tenant === tenant),
		);
	}

	#pending(tenant: string | undefined): number {
		return this.#of(tenant).filter(jobState.isPending).length;
	}
}

/** What must be deleted of a job at `now`. */
function due({ job, recordDueAt, contentDueAt }: JobState, now: number) {
	const { id, kind, tenant } = job;
	if (recordDueAt !== null && recordDueAt <= now) return [{ due: 'record', id, kind, tenant }];
	const isDue = contentDueAt !== null && contentDueAt <= now;
	return isDue ? [{ due: 'content', id, kind, tenant }] : [];
}
