import { fail } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type EventPage, isPlinthError, type JobEvent, type JobStore, type SweepItem } from '@plinth/core';
import fc from 'fast-check';
import type { JobStoreSubject } from '../job-store/subject.ts';
import { type Call, type Plan, perform, plan } from './calls.ts';
import { JobModel } from './model.ts';
import { Watch } from './watch.ts';

/** The state of a client between its calls. */
interface Client {
	items: readonly SweepItem[];
	cursor: string | undefined;
}

/**
 * The models that match all answers so far. There are several while the order in which calls took effect is unknown.
 */
interface Candidates {
	models: JobModel[];
}

class Subject {
	#cursor: string | undefined;
	#seq = 0;
	/** The number of events that were appended up to each cursor. */
	readonly seqs = new Map<string, number>();
	readonly ids: string[] = [];
	readonly watch = new Watch();
	readonly clients: Client[] = [0, 1, 2].map(() => ({ items: [], cursor: undefined }));
	readonly store: JobStore;
	readonly #peer: JobStore;
	readonly clock: JobStoreSubject['clock'];

	constructor({ store, clock }: JobStoreSubject, peer: JobStore) {
		this.store = store;
		this.#peer = peer;
		this.clock = clock;
	}

	/** The second client uses the other handle. */
	handleOf(client: number): JobStore {
		return client === 1 ? this.#peer : this.store;
	}

	/** Reads the events of a round, and returns the models that appended the same events in the same order. */
	async withSameEvents(models: readonly JobModel[]): Promise<JobModel[]> {
		const { events, cursor } = await this.store.events(this.#cursor, { limit: 1_000 });
		const appended = events.map(withoutPosition);
		const fitting = models.filter((model) =>
			isDeepStrictEqual(appended, model.events.filter(({ seq }) => seq > this.#seq).map(withoutPosition)),
		);
		const [first] = fitting;
		if (!first) fail(`No order of the calls appends these events: ${JSON.stringify(appended)}`);
		const seqs = first.events.filter(({ seq }) => seq > this.#seq).map(({ seq }) => seq);
		for (const [index, event] of events.entries()) this.seqs.set(event.cursor, seqs[index] ?? 0);
		this.#cursor = cursor;
		this.#seq = first.seq;
		return distinct(fitting);
	}
}

interface Exchange {
	readonly request: Call;
	readonly answer: unknown;
}

/** One call of each of up to three clients, made at the same moment. */
class Round implements fc.AsyncCommand<Candidates, Subject, true> {
	readonly #plans: readonly Plan[];

	constructor(plans: readonly Plan[]) {
		this.#plans = plans;
	}

	async check(): Promise<boolean> {
		return true;
	}

	async run(candidates: Candidates, subject: Subject): Promise<void> {
		const calls = this.#plans.map((next, client) => this.#fill(next, client, candidates, subject));
		const answers = await Promise.all(calls.map((request, client) => perform(subject.handleOf(client), request)));
		const exchanges = calls.map((request, index) => ({ request, answer: answers[index] }));
		subject.watch.round(exchanges);
		const models = candidates.models.flatMap((model) => explanations(model, exchanges));
		if (models.length === 0) fail(unexplained(candidates, exchanges));
		candidates.models = await subject.withSameEvents(models);
		exchanges.forEach(({ request, answer }, index) => {
			const client = subject.clients[index] as Client;
			if (request.call === 'sweep') client.items = answer as SweepItem[];
			if (request.call === 'events') client.cursor = (answer as { cursor: string }).cursor;
		});
	}

	#fill(next: Plan, index: number, { models }: Candidates, subject: Subject): Call {
		const { ids, clock, clients } = subject;
		const client = clients[index] as Client;
		const offset = 'job' in next ? next.job : 'after' in next ? next.after : undefined;
		const running = models[0]?.running() ?? [];
		const targets = 'aim' in next && next.aim ? running : ids;
		let id = targets?.at(-1 - (offset ?? 0)) ?? ids.at(-1) ?? 'video_none';
		if (next.call === 'create') {
			id = `video_${String(ids.length).padStart(6, '0')}`;
			ids.push(id);
		}
		const job = models[0]?.states.get(id)?.job;
		const tenant = 'tenant' in next ? (next.tenant ?? 0) : undefined;
		const own = job?.tenant ?? 'tenant-0';
		const caller = 'foreign' in next && next.foreign ? `${own}-other` : own;
		const continues = next.call === 'events' && next.continues;
		return {
			...next,
			id,
			owner: tenant === undefined ? caller : `tenant-${tenant}`,
			token: (job?.fence ?? 0) + ('fence' in next ? next.fence : 0),
			holder: `client-${index}`,
			busy: 'runs' in next && next.runs ? running.slice(-1) : [],
			items: client.items,
			cursor: continues ? client.cursor : undefined,
			seq: (continues && client.cursor && subject.seqs.get(client.cursor)) || 0,
			ids: [...ids],
			now: clock.now(),
		};
	}

	toString(): string {
		return this.#plans.map((next) => JSON.stringify(next)).join(' | ');
	}
}

/** Sets the clock, forwards or backwards. */
class SetClock implements fc.AsyncCommand<Candidates, Subject, true> {
	readonly #ms: number;

	constructor(ms: number) {
		this.#ms = ms;
	}

	async check(): Promise<boolean> {
		return true;
	}

	async run(_: Candidates, { clock }: Subject): Promise<void> {
		clock.jump(this.#ms);
	}

	toString(): string {
		return `clock ${this.#ms}`;
	}
}

const hour = 3_600_000;
const forwards = [1, 1, 999, 999, 10_000, 20_000, 20_000, 60_000, 600_001, 24 * hour + 1, 200 * hour];
const backwards = [-1, -10_000, -30_000, -2 * hour, -24 * hour];

const rounds = fc.array(plan, { minLength: 1, maxLength: 3 }).map((plans) => new Round(plans));

const commands = fc.commands<Candidates, Subject, true>(
	[rounds, rounds, rounds, rounds, fc.constantFrom(...forwards, ...backwards).map((ms) => new SetClock(ms))],
	{ maxCommands: 80, size: 'max' },
);

/**
 * Compares a store with the model: random rounds of calls by three clients over two handles, with the clock set
 * between them. The answers of a round must be those that its calls get when they are made one after the other, in
 * some order. Rejects with the shortest failing sequence that it finds.
 */
export async function checkAgainstModel(
	create: () => Promise<JobStoreSubject>,
	options: { readonly runs: number; readonly seed?: number; readonly endOnFailure?: boolean },
): Promise<void> {
	const { runs: numRuns, seed, endOnFailure = false } = options;
	await fc.assert(
		fc.asyncProperty(commands, async (sequence) => {
			const subject = await create();
			try {
				const peer = await subject.peer();
				const real = new Subject(subject, peer);
				const setup = () => ({ model: { models: [new JobModel()] }, real });
				await fc.asyncModelRun(setup, sequence);
			} finally {
				await subject.close();
			}
		}),
		{ numRuns, endOnFailure, ...(seed === undefined ? {} : { seed }) },
	);
}

/** The models that follow from a model, one for each order of the calls in which it gives these answers. */
function explanations(model: JobModel, remaining: readonly Exchange[]): JobModel[] {
	if (remaining.length === 0) return [model];
	return remaining.flatMap((first) => {
		const next = new JobModel(model);
		if (!isSame(first, answerOf(next, first.request))) return [];
		const others = remaining.filter((other) => other !== first);
		return explanations(next, others);
	});
}

function answerOf(model: JobModel, request: Call): unknown {
	try {
		return model.apply(request);
	} catch (error) {
		if (isPlinthError(error)) return { refused: error.code };
		throw error;
	}
}

function isSame({ request, answer }: Exchange, expected: unknown): boolean {
	if (request.call !== 'events') return isDeepStrictEqual(answer, expected);
	const { events, missed } = answer as EventPage;
	return isDeepStrictEqual({ events: events.map(withoutPosition), missed }, expected);
}

/** Removes duplicate models. Their events are known to be equal. */
function distinct(models: readonly JobModel[]): JobModel[] {
	return models.filter(
		(model, index) => !models.slice(0, index).some(({ rest }) => isDeepStrictEqual(rest, model.rest)),
	);
}

/** An event without the members that differ between stores. */
function withoutPosition(event: Partial<JobEvent> & { readonly seq?: number }) {
	const { cursor: _, seq: _seq, ...rest } = event;
	return rest;
}

function unexplained({ models }: Candidates, exchanges: readonly Exchange[]): string {
	const lines = exchanges.map(({ request, answer }) => {
		const expected = models[0] && answerOf(new JobModel(models[0]), request);
		const { call, id, owner, token } = request;
		const actual = `answered ${JSON.stringify(answer)}`;
		const single = `as the only call it should be ${JSON.stringify(expected)}`;
		return [JSON.stringify({ call, id, owner, token }), actual, single].join('\n  ');
	});
	return `No order of these calls explains their answers:\n${lines.join('\n')}`;
}
