import type { BlobStore } from '../ports/blob-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { Logger } from '../ports/logger.ts';
import { deletePrefix, jobPrefix } from './blobs.ts';
import type { JobSettings } from './settings.ts';

const sweepBatch = 500;
const ringBatch = 500;

/** Periodic housekeeping: deletes what has expired or was removed, and rings again for jobs that wait. */
export class Sweeper {
	readonly #store: JobStore;
	readonly #queue: JobQueue;
	readonly #blobs: BlobStore;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #settings: JobSettings;
	readonly #cancels = new Set<() => void>();
	#open: Promise<unknown> = Promise.resolve();
	#stopped = false;

	constructor(
		store: JobStore,
		queue: JobQueue,
		blobs: BlobStore,
		clock: Clock,
		log: Logger,
		settings: JobSettings,
	) {
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
	}

	/** Stops the timers and waits for the round that is under way. */
	async stop(): Promise<void> {
		this.#stopped = true;
		for (const cancel of this.#cancels) cancel();
		await this.#open;
	}

	/** Rings for every job that may be claimed. The queue may have lost its message; the record is the truth. */
	async ring(): Promise<void> {
		for (const { id, kind, tenant } of await this.#store.claimable(ringBatch)) {
			await this.#queue.enqueue({ jobId: id, kind, tenant });
		}
	}

	/** Deletes bytes first and settles the records after, so that a crash between the two only repeats work. */
	async sweep(): Promise<void> {
		for (;;) {
			const items = await this.#store.sweep(this.#clock.now(), sweepBatch);
			for (const { id } of items) await deletePrefix(this.#blobs, jobPrefix(id));
			// Also with nothing due: the store trims its event log here.
			await this.#store.swept(items);
			if (items.length === 0) return;
			this.#log.info({ swept: items.length }, 'expired content and removed jobs deleted');
			if (items.length < sweepBatch) return;
		}
	}

	#repeat(everyMs: number, task: () => Promise<void>): void {
		const cancel = this.#clock.after(everyMs, () => {
			this.#cancels.delete(cancel);
			if (this.#stopped) return;
			const round = task().catch((err: unknown) =>
				this.#log.warn({ err }, 'housekeeping failed; it goes on'),
			);
			this.#open = Promise.all([this.#open, round]);
			void round.then(() => {
				if (!this.#stopped) this.#repeat(everyMs, task);
			});
		});
		this.#cancels.add(cancel);
	}
}
