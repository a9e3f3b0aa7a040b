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
 * What a job store is, without any storage: the state machine of the kernel over a map, and each call's answer by
 * the words of the contract. A copy is a model of its own.
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

	/** What tells this model from another one that has appended the same events. */
	get rest(): readonly unknown[] {
		return [this.states, this.offers, this.served, this.leader];
	}

	/** Does what a call does and returns what it answers. */
	apply(asked: Call): unknown {
		const { id, owner, token, now } = asked;
		const time = { now, recordRetentionMs };
		const any = this.states.get(id);
		const own = any && !any.removed && any.job.tenant === owner ? any : undefined;
		switch (asked.call) {
			case 'create':
				return this.#create(asked);
			case 'get':
				return own ? jobState.jobAt(own, now) : null;
			case 'take':
				return this.#take(asked);
			case 'heartbeat': {
				if (!any) return 'lost';
				const { progress, checkpoint } = asked;
				const update = { progress, ...(checkpoint && { checkpoint }) };
				const { state, answer } = jobState.heartbeatJob(any, token, update, now);
				this.states.set(id, state);
				return answer;
			}
			case 'complete': {
				const completion = { result: { token }, retentionMs: asked.ms ?? null };
				return this.#end(any && jobState.completeJob(any, token, completion, time), now);
			}
			case 'fail':
				return this.#end(any && jobState.failJob(any, token, failure, asked.ms, time), now);
			case 'release':
				return this.#end(any && jobState.releaseJob(any, token), now);
			case 'cancel':
				return own ? this.#show(jobState.cancelJob(own, time), now) : null;
			case 'remove':
				return own ? this.#show(jobState.removeJob(own, now), now) : null;
			case 'list': {
				const sign = asked.order === 'asc' ? 1 : -1;
				const found = this.#of(owner)
					.filter((state) => !asked.pending || jobState.isPending(state))
					.sort((a, b) => sign * byId(a.job, b.job))
					.filter(({ job }) => asked.after === undefined || sign * (job.id > id ? 1 : -1) > 0)
					.filter(({ job }) => asked.after === undefined || job.id !== id);
				const jobs = found.slice(0, asked.limit).map((state) => jobState.jobAt(state, now));
				return { jobs, hasMore: found.length > asked.limit };
			}
			case 'pending':
				return this.#pending(asked.tenant === undefined ? undefined : owner);
			case 'sweep':
				return [...this.states.values()].flatMap((state) => due(state, now)).sort(byId);
			case 'swept':
				for (const { id: swept, due: what } of asked.items) {
					const state = this.states.get(swept);
					if (state && what === 'content') this.states.set(swept, { ...state, contentDueAt: null });
					else if (state && state.recordDueAt !== null) this.states.delete(swept);
				}
				return undefined;
			case 'tidy':
				return this.#tidy(now);
			case 'lead': {
				const { until } = this.leader;
				const holds = until > now && (asked.ms === 0 || until <= now + asked.ms);
				if (holds && this.leader.holder !== asked.holder) return false;
				this.leader = { holder: asked.holder, until: now + asked.ms };
				return true;
			}
			case 'known':
				return asked.ids.filter((known) => this.states.has(known)).sort();
			case 'events':
				return {
					events: this.events
						.filter(({ seq }) => seq > asked.seq)
						.filter(({ tenant }) => asked.tenant === undefined || tenant === owner)
						.filter(({ jobId }) => asked.job === undefined || jobId === id)
						.map(({ seq: _, ...event }) => event),
					missed: asked.cursor !== undefined && asked.seq < this.seq - this.events.length,
				};
		}
	}

	/** The ids of the jobs to which a worker's call can do something, oldest first. */
	running(): string[] {
		return [...this.states.values()]
			.filter(({ job, removed }) => job.status === 'in_progress' && !removed)
			.map(({ job }) => job.id);
	}

	#create(asked: Call & { call: 'create' }): unknown {
		const { id, owner, now, idempotency, maxPending } = asked;
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
		const job = { ...newJobOf(asked), ...callbackOf(id) };
		return { job: this.#show(jobState.createJob(job, idempotency, now), now), replayed: false };
	}

	#take({ now, holder, models, count, perTenant, busy }: Call & { call: 'take' }): unknown {
		const time = { now, recordRetentionMs };
		this.offers.set(holder, { models, seenAt: offerInstant(now) });
		const open = () =>
			[...this.states.values()]
				.filter((state) => jobState.isDue(state, now) && !busy.includes(state.job.id))
				.sort((a, b) => byId(a.job, b.job));
		for (const state of open().filter(jobState.mayNotRun)) this.#keep(jobState.endSpentJob(state, time), now);
		const tenants = busy.flatMap((id) => this.states.get(id)?.job.tenant ?? []);
		const claims = [];
		while (claims.length < count) {
			const free = open()
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

/** What of a job is to be deleted at `now`. */
function due({ job, recordDueAt, contentDueAt }: JobState, now: number) {
	const { id, kind, tenant } = job;
	if (recordDueAt !== null && recordDueAt <= now) return [{ due: 'record', id, kind, tenant }];
	const isDue = contentDueAt !== null && contentDueAt <= now;
	return isDue ? [{ due: 'content', id, kind, tenant }] : [];
}
