import { fail } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type EventPage, isPlinthError, type JobEvent, type JobStore, type SweepItem } from '@plinth/core';
import fc from 'fast-check';
import type { JobStoreSubject } from '../job-store/subject.ts';
import { type Call, type Plan, perform, plan } from './calls.ts';
import { JobModel } from './model.ts';
import { Watch } from './watch.ts';

/** What a client remembers between its calls. */
interface Client {
	items: readonly SweepItem[];
	cursor: string | undefined;
}

/**
 * The models that explain all answers so far. There is more than one while nothing has told in which order calls
 * took effect.
 */
interface Explained {
	models: JobModel[];
}

class Subject {
	#cursor: string | undefined;
	#seq = 0;
	/** How many events had been appended where a cursor stands. */
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

	/** The second client has the other handle. */
	handleOf(client: number): JobStore {
		return client === 1 ? this.#peer : this.store;
	}

	/** Reads what the round has appended: the order of events tells the order in which its calls took effect. */
	async ordered(models: readonly JobModel[]): Promise<JobModel[]> {
		const { events, cursor } = await this.store.events(this.#cursor, { limit: 1_000 });
		const told = events.map(bare);
		const fitting = models.filter((model) =>
			isDeepStrictEqual(told, model.events.filter(({ seq }) => seq > this.#seq).map(bare)),
		);
		const [first] = fitting;
		if (!first) fail(`No order of the calls appends these events: ${JSON.stringify(told)}`);
		const seqs = first.events.filter(({ seq }) => seq > this.#seq).map(({ seq }) => seq);
		for (const [index, event] of events.entries()) this.seqs.set(event.cursor, seqs[index] ?? 0);
		this.#cursor = cursor;
		this.#seq = first.seq;
		return distinct(fitting);
	}
}

interface Answered {
	readonly asked: Call;
	readonly answer: unknown;
}

/** One call of each of up to three clients, made at the same moment. */
class Round implements fc.AsyncCommand<Explained, Subject, true> {
	readonly #plans: readonly Plan[];

	constructor(plans: readonly Plan[]) {
		this.#plans = plans;
	}

	async check(): Promise<boolean> {
		return true;
	}

	async run(explained: Explained, subject: Subject): Promise<void> {
		const calls = this.#plans.map((next, client) => this.#fill(next, client, explained, subject));
		const answers = await Promise.all(calls.map((asked, client) => perform(subject.handleOf(client), asked)));
		const answered = calls.map((asked, index) => ({ asked, answer: answers[index] }));
		subject.watch.round(answered);
		const models = explained.models.flatMap((model) => explanations(model, answered));
		if (models.length === 0) fail(unexplained(explained, answered));
		explained.models = await subject.ordered(models);
		answered.forEach(({ asked, answer }, index) => {
			const client = subject.clients[index] as Client;
			if (asked.call === 'sweep') client.items = answer as SweepItem[];
			if (asked.call === 'events') client.cursor = (answer as { cursor: string }).cursor;
		});
	}

	#fill(next: Plan, index: number, { models }: Explained, subject: Subject): Call {
		const { ids, clock, clients } = subject;
		const client = clients[index] as Client;
		const named = 'job' in next ? next.job : 'after' in next ? next.after : undefined;
		const running = models[0]?.running() ?? [];
		const wanted = 'aim' in next && next.aim ? running : ids;
		let id = wanted?.at(-1 - (named ?? 0)) ?? ids.at(-1) ?? 'video_none';
		if (next.call === 'create') {
			id = `video_${String(ids.length).padStart(6, '0')}`;
			ids.push(id);
		}
		const job = models[0]?.states.get(id)?.job;
		const tenant = 'tenant' in next ? (next.tenant ?? 0) : undefined;
		const own = job?.tenant ?? 'tenant-0';
		const foreign = 'foreign' in next && next.foreign ? `${own}-other` : own;
		const goesOn = next.call === 'events' && next.goOn;
		return {
			...next,
			id,
			owner: tenant === undefined ? foreign : `tenant-${tenant}`,
			token: (job?.fence ?? 0) + ('fence' in next ? next.fence : 0),
			holder: `client-${index}`,
			busy: 'runs' in next && next.runs ? running.slice(-1) : [],
			items: client.items,
			cursor: goesOn ? client.cursor : undefined,
			seq: (goesOn && client.cursor && subject.seqs.get(client.cursor)) || 0,
			ids: [...ids],
			now: clock.now(),
		};
	}

	toString(): string {
		return this.#plans.map((next) => JSON.stringify(next)).join(' | ');
	}
}

/** Somebody sets the clock, forwards or backwards. */
class SetClock implements fc.AsyncCommand<Explained, Subject, true> {
	readonly #ms: number;

	constructor(ms: number) {
		this.#ms = ms;
	}

	async check(): Promise<boolean> {
		return true;
	}

	async run(_: Explained, { clock }: Subject): Promise<void> {
		clock.jump(this.#ms);
	}

	toString(): string {
		return `clock ${this.#ms}`;
	}
}

const hour = 3_600_000;
const jumps = [1, 1, 999, 999, 10_000, 20_000, 20_000, 60_000, 600_001, 24 * hour + 1, 200 * hour];
const back = [-1, -10_000, -30_000, -2 * hour, -24 * hour];

const rounds = fc.array(plan, { minLength: 1, maxLength: 3 }).map((plans) => new Round(plans));

const commands = fc.commands<Explained, Subject, true>(
	[rounds, rounds, rounds, rounds, fc.constantFrom(...jumps, ...back).map((ms) => new SetClock(ms))],
	{ maxCommands: 80, size: 'max' },
);

/**
 * Compares a store with the model: random rounds of calls by three clients over two handles, with the clock set
 * between them. The answers of a round must be those of its calls in one order after the other. Rejects with the
 * shortest story it finds that no order explains.
 */
export async function checkAgainstModel(
	create: () => Promise<JobStoreSubject>,
	options: { readonly runs: number; readonly seed?: number; readonly endOnFailure?: boolean },
): Promise<void> {
	const { runs: numRuns, seed, endOnFailure = false } = options;
	await fc.assert(
		fc.asyncProperty(commands, async (story) => {
			const subject = await create();
			try {
				const peer = await subject.peer();
				const real = new Subject(subject, peer);
				const setup = () => ({ model: { models: [new JobModel()] }, real });
				await fc.asyncModelRun(setup, story);
			} finally {
				await subject.close();
			}
		}),
		{ numRuns, endOnFailure, ...(seed === undefined ? {} : { seed }) },
	);
}

/** What a model may have become, over all orders in which it gives these answers. */
function explanations(model: JobModel, left: readonly Answered[]): JobModel[] {
	if (left.length === 0) return [model];
	return left.flatMap((first) => {
		const next = new JobModel(model);
		if (!isSame(first, answerOf(next, first.asked))) return [];
		return explanations(
			next,
			left.filter((other) => other !== first),
		);
	});
}

function answerOf(model: JobModel, asked: Call): unknown {
	try {
		return model.apply(asked);
	} catch (error) {
		if (isPlinthError(error)) return { refused: error.code };
		throw error;
	}
}

function isSame({ asked, answer }: Answered, expected: unknown): boolean {
	if (asked.call !== 'events') return isDeepStrictEqual(answer, expected);
	const { events, missed } = answer as EventPage;
	return isDeepStrictEqual({ events: events.map(bare), missed }, expected);
}

/** Their events have been found equal. */
function distinct(models: readonly JobModel[]): JobModel[] {
	return models.filter(
		(model, index) => !models.slice(0, index).some(({ rest }) => isDeepStrictEqual(rest, model.rest)),
	);
}

/** An event as every store tells it. */
function bare(event: Partial<JobEvent> & { readonly seq?: number }) {
	const { cursor: _, seq: _seq, ...rest } = event;
	return rest;
}

function unexplained({ models }: Explained, answered: readonly Answered[]): string {
	const lines = answered.map(({ asked, answer }) => {
		const expected = models[0] && answerOf(new JobModel(models[0]), asked);
		const { call, id, owner, token } = asked;
		const told = `answered ${JSON.stringify(answer)}`;
		const alone = `alone it should be ${JSON.stringify(expected)}`;
		return [JSON.stringify({ call, id, owner, token }), told, alone].join('\n  ');
	});
	return `No order of these calls explains their answers:\n${lines.join('\n')}`;
}
