import type { JobQueue } from '../contract/jobs/job-queue.ts';
import type { JobStore, SweepItem } from '../contract/jobs/job-store.ts';
import type { JobSettings } from '../contract/jobs/settings.ts';
import type { BlobStore } from '../contract/ports/blob-store.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { deletePrefix, jobPrefix } from './blobs.ts';
import type { JobService } from './jobs.ts';
import { deleteOrphans } from './orphans.ts';

const sweepBatch = 500;
const ringBatch = 500;

/** Periodic housekeeping: deletes what has expired or was removed, and rings again for jobs that wait. */
export class Sweeper {
	readonly #service: JobService;
	readonly #store: JobStore;
	readonly #queue: JobQueue;
	readonly #blobs: BlobStore;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #settings: JobSettings;
	readonly #timers = new Set<() => void>();
	readonly #rounds = new Set<Promise<void>>();
	#isStopped = false;

	constructor(
		service: JobService,
		store: JobStore,
		queue: JobQueue,
		blobs: BlobStore,
		clock: Clock,
		log: Logger,
		settings: JobSettings,
	) {
		this.#service = service;
		this.#store = store;
		this.#queue = queue;
		this.#blobs = blobs;
		this.#clock = clock;
		this.#log = log;
		this.#settings = settings;
	}

	/** Rings once for everything claimable, then keeps house until `stop`. */
	async start(): Promise<void> {
		await this.ring();
		this.#repeat(this.#settings.reconcileMs, () => this.ring());
		this.#repeat(this.#settings.sweepMs, () => this.sweep());
		// At once, but behind the start: with many blobs the first look takes a while.
		this.#repeat(this.#settings.orphanMs, () => this.sweepOrphans(), 0);
	}

	/** Stops the timers and waits for the rounds that are under way. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		for (const cancel of this.#timers) cancel();
		await Promise.all(this.#rounds);
	}

	/** Rings for every job that may be claimed. The queue may have lost its message; the record is the truth. */
	async ring(): Promise<void> {
		for (const kind of this.#service.definitions.keys()) {
			let after: string | undefined;
			do {
				const page = await this.#store.claimable(kind, {
					limit: ringBatch,
					...(after === undefined ? {} : { after }),
				});
				await Promise.all(
					page.map(({ id, tenant }) => this.#queue.enqueue({ jobId: id, kind, tenant })),
				);
				after = page.length < ringBatch ? undefined : page.at(-1)?.id;
			} while (after !== undefined && !this.#isStopped);
		}
	}

	/** Deletes bytes first and settles the records after, so that a crash between the two only repeats work. */
	async sweep(): Promise<void> {
		// What could not be deleted is listed again, before everything younger.
		const stuck = new Set<string>();
		for (let isMore = true; isMore && !this.#isStopped; ) {
			const limit = sweepBatch + stuck.size;
			const items = await this.#store.sweep(this.#clock.now(), limit);
			const settled = await this.#deleteBytes(items, stuck);
			// Also with nothing due: the store trims its event log here.
			await this.#store.swept(settled);
			if (settled.length > 0) {
				this.#log.info({ swept: settled.length }, 'expired content and removed jobs deleted');
			}
			isMore = items.length === limit;
		}
	}

	/** Deletes bytes that belong to no record, and those that never became a blob. */
	async sweepOrphans(): Promise<void> {
		const before = this.#clock.now() - this.#settings.orphanMs;
		const isStopped = () => this.#isStopped;
		const onFailure = (id: string, err: unknown) => this.#warnOfBytes(id, err);
		const orphans = await deleteOrphans(this.#blobs, this.#store, before, isStopped, onFailure);
		if (orphans > 0) this.#log.info({ orphans }, 'bytes without a record deleted');
		await this.#blobs.sweep?.();
	}

	/** Returns the items whose bytes are gone, and adds the ids of those that cannot be deleted to `stuck`: they must not hold up the others. */
	async #deleteBytes(
		items: readonly SweepItem[],
		stuck: Set<string>,
	): Promise<readonly SweepItem[]> {
		const settled: SweepItem[] = [];
		for (const item of items) {
			if (this.#isStopped) break;
			if (stuck.has(item.id)) continue;
			try {
				await deletePrefix(this.#blobs, jobPrefix(item.id));
				settled.push(item);
			} catch (err) {
				stuck.add(item.id);
				this.#warnOfBytes(item.id, err);
			}
		}
		return settled;
	}

	#warnOfBytes(id: string, err: unknown): void {
		this.#log.warn({ err, job_id: id }, 'bytes could not be deleted; the next sweep tries again');
	}

	#repeat(everyMs: number, task: () => Promise<void>, firstMs = everyMs): void {
		const cancel = this.#clock.after(firstMs, () => {
			this.#timers.delete(cancel);
			if (this.#isStopped) return;
			const round = task()
				.catch((err: unknown) => this.#log.warn({ err }, 'housekeeping failed; it goes on'))
				.then(() => {
					this.#rounds.delete(round);
					if (!this.#isStopped) this.#repeat(everyMs, task);
				});
			this.#rounds.add(round);
		});
		this.#timers.add(cancel);
	}
}
