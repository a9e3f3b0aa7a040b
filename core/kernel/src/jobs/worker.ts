import { plinthError } from '../contract/errors/coded-error.ts';
import type { Accepted, Consumer, JobQueue, QueueMessage } from '../contract/jobs/job-queue.ts';
import type { JobStore } from '../contract/jobs/job-store.ts';
import type { JobSettings } from '../contract/jobs/settings.ts';
import type { BlobStore } from '../contract/ports/blob-store.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { EventBus } from '../contract/ports/event-bus.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { Attempt } from './attempt.ts';
import type { JobService } from './jobs.ts';

/** Takes jobs from the queue, claims them in the store and runs one {@link Attempt} each. */
export class JobWorker {
	readonly #service: JobService;
	readonly #store: JobStore;
	readonly #queue: JobQueue;
	readonly #blobs: BlobStore;
	readonly #bus: EventBus;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #settings: JobSettings;
	readonly #name = `${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
	readonly #running = new Map<string, { attempt: Attempt; finished: Promise<void> }>();
	#consumers: Consumer[] = [];
	#subscriptions: (() => void)[] = [];
	#isInterrupted = false;

	constructor(
		service: JobService,
		store: JobStore,
		queue: JobQueue,
		blobs: BlobStore,
		bus: EventBus,
		clock: Clock,
		log: Logger,
		settings: JobSettings,
	) {
		this.#service = service;
		this.#store = store;
		this.#queue = queue;
		this.#blobs = blobs;
		this.#bus = bus;
		this.#clock = clock;
		this.#log = log;
		this.#settings = settings;
	}

	/** How many attempts run now. */
	get running(): number {
		return this.#running.size;
	}

	/** Begins to claim. */
	start(): void {
		const abortOn = (type: string, cause: 'lost' | 'cancel') =>
			this.#bus.subscribe({ type }, ({ subject }) =>
				this.#running.get(subject)?.attempt.abort(cause),
			);
		this.#isInterrupted = false;
		this.#subscriptions = [abortOn('job.deleted', 'lost'), abortOn('job.cancelling', 'cancel')];
		const { concurrency, perTenant = concurrency } = this.#settings;
		this.#consumers = [...this.#service.definitions.keys()].map((kind) =>
			this.#queue.consume(kind, { concurrency, perTenant }, (message) => this.#accept(message)),
		);
	}

	/** Claims nothing more; running attempts go on. */
	async close(): Promise<void> {
		await Promise.all(this.#consumers.map((consumer) => consumer.close()));
		this.#consumers = [];
	}

	/** Settles when no attempt runs. */
	async drained(): Promise<void> {
		while (this.#running.size > 0) {
			await Promise.all([...this.#running.values()].map(({ finished }) => finished));
		}
	}

	/** Aborts what still runs; each such job goes back to the queue and its attempt does not count. Harmless when repeated. */
	async interrupt(): Promise<void> {
		this.#isInterrupted = true;
		for (const { attempt } of this.#running.values()) attempt.abort('stopping');
		await this.drained();
		for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe();
	}

	async #accept({ jobId, kind }: QueueMessage): Promise<Accepted | null> {
		const definition = this.#service.definitions.get(kind);
		if (!definition || this.#running.has(jobId)) return null;
		const claim = await this.#store.claim(jobId, this.#name, this.#settings.leaseMs);
		if (!claim) return null;
		if (this.#isInterrupted) {
			await this.#store.release(jobId, claim.fence);
			return null;
		}
		const attempt = new Attempt(claim, definition, {
			store: this.#store,
			blobs: this.#blobs,
			bus: this.#bus,
			clock: this.#clock,
			log: this.#log.child({ job_id: jobId, attempt: claim.job.attempt }),
			settings: this.#settings,
		});
		const finished = attempt
			.run()
			.catch((cause: unknown) =>
				this.#log.error({ err: plinthError('E_INTERNAL', { cause }) }, 'an attempt broke'),
			)
			.finally(() => this.#running.delete(jobId));
		this.#running.set(jobId, { attempt, finished });
		return { finished };
	}
}
