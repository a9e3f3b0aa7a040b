import { plinthError } from '../contract/errors/coded-error.ts';
import type { Claim } from '../contract/jobs/job-store.ts';
import type { JobDefinition, JobModels } from '../contract/jobs/jobs.ts';
import { Attempt } from './attempt.ts';
import type { JobService, JobTools } from './jobs.ts';
import { WaitingJobs } from './waiting-jobs.ts';

/** Takes jobs from the store and runs one {@link Attempt} each. */
export class JobWorker {
	readonly #service: JobService;
	readonly #tools: JobTools;
	readonly #name = `${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
	readonly #running = new Map<string, { attempt: Attempt; model: string; finished: Promise<void> }>();
	/** By kind, the call of `take` that is in progress. */
	readonly #looking = new Map<string, Promise<void>>();
	/** Kinds to look for again when that call has ended. */
	readonly #again = new Set<string>();
	readonly #waiting: WaitingJobs;
	#subscriptions: (() => void)[] = [];
	#cancelTimer: () => void = () => {};
	#isOpen = false;

	constructor(service: JobService, tools: JobTools) {
		this.#service = service;
		this.#tools = tools;
		this.#waiting = new WaitingJobs(tools);
	}

	get running(): number {
		return this.#running.size;
	}

	/** Starts to take jobs: at once, at each hint of the bus, each `pollMs`, and whenever an attempt has ended. */
	start(): void {
		const { bus } = this.#tools;
		const abortOn = (type: string, cause: 'lost' | 'cancel') =>
			bus.subscribe({ type }, ({ subject }) => this.#running.get(subject)?.attempt.abort(cause));
		this.#isOpen = true;
		this.#subscriptions = [
			abortOn('job.deleted', 'lost'),
			abortOn('job.cancelling', 'cancel'),
			bus.subscribe({ type: 'job.queued' }, ({ subject }) => this.#look(kindOf(subject))),
		];
		this.#poll();
	}

	/** Stops taking jobs; running attempts continue. Settles when no call of `take` is in progress. */
	async close(): Promise<void> {
		this.#isOpen = false;
		this.#cancelTimer();
		this.#waiting.stop();
		await Promise.all(this.#looking.values());
	}

	async drained(): Promise<void> {
		while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ finished }) => finished));
	}

	/** Aborts running attempts. Their jobs are queued again and the attempts do not count. May be called again. */
	async interrupt(): Promise<void> {
		const closed = this.close();
		for (const { attempt } of this.#running.values()) attempt.abort('stopping');
		await closed;
		await this.drained();
		for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe();
	}

	#poll(): void {
		for (const [kind, { models }] of this.#service.definitions) {
			this.#look(kind);
			if (models) this.#waiting.look(kind, models, this.#limits(kind, models), () => this.#look(kind));
		}
		this.#cancelTimer = this.#tools.clock.after(this.#tools.settings.pollMs, () => this.#poll());
	}

	#look(kind: string): void {
		const definition = this.#service.definitions.get(kind);
		if (!this.#isOpen || !definition) return;
		if (this.#looking.has(kind)) {
			this.#again.add(kind);
			return;
		}
		const look = this.#take(kind, definition)
			.catch((err: unknown) => this.#tools.log.warn({ err, kind }, 'no jobs could be taken'))
			.finally(() => {
				this.#looking.delete(kind);
				if (this.#again.delete(kind)) this.#look(kind);
			});
		this.#looking.set(kind, look);
	}

	async #take(kind: string, definition: JobDefinition): Promise<void> {
		const { leaseMs, concurrency, perTenant } = this.#service.settingsOf(kind);
		const running = [...this.#running.keys()].filter((id) => kindOf(id) === kind);
		// Also without a free slot, so that the store notes that the models are offered.
		const count = Math.max(0, concurrency - running.length);
		const { models } = definition;
		const offer = models && { models: [...models.slots().keys()], limits: this.#limits(kind, models) };
		const options = { leaseMs, count, ...offer, perTenant, running };
		const claims = await this.#tools.store.take(kind, this.#name, options);
		const warn = (err: unknown) => this.#tools.log.warn({ err, kind }, 'a claimed job could not be released');
		for (const claim of claims) {
			// If the worker was closed meanwhile, the job goes to another worker, and the attempt does not count.
			if (this.#isOpen) this.#run(claim, definition);
			else await this.#tools.store.release(claim.job.id, claim.fence).catch(warn);
		}
	}

	/** By model, how many more jobs may begin; a model without an entry has no limit. */
	#limits(kind: string, models: JobModels): Readonly<Record<string, number>> {
		const running = [...this.#running].filter(([id]) => kindOf(id) === kind).map(([, { model }]) => model);
		const limits = [...models.slots()].flatMap(([name, slots]) => {
			const used = running.filter((model) => model === name).length;
			return slots === undefined ? [] : [[name, Math.max(0, slots - used)] as const];
		});
		return Object.fromEntries(limits);
	}

	#run(claim: Claim, definition: JobDefinition): void {
		const { id, kind, model, attempt: number } = claim.job;
		const log = this.#tools.log.child({ job_id: id, attempt: number });
		const settings = this.#service.settingsOf(kind);
		const attempt = new Attempt(claim, definition, { ...this.#tools, log, settings });
		const finished = attempt
			.run()
			.catch((cause: unknown) => log.error({ err: plinthError('E_INTERNAL', { cause }) }, 'an attempt threw'))
			.finally(() => {
				this.#running.delete(id);
				this.#look(kind);
			});
		this.#running.set(id, { attempt, model, finished });
	}
}

function kindOf(id: string): string {
	return id.slice(0, id.lastIndexOf('_'));
}
