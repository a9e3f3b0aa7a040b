import type { SweepItem } from '../contract/jobs/job-store.ts';
import type { Clock } from '../contract/ports/clock.ts';
import { deletePrefix, jobPrefix } from './blobs.ts';
import { deleteOrphans } from './orphans.ts';
import type { JobTools } from './tools.ts';

const sweepBatch = 500;

/** Deletes what has expired or was removed. It is the duty of one process at a time. */
export class Housekeeping {
	readonly #tools: JobTools;

	constructor(tools: JobTools) {
		this.#tools = tools;
	}

	/** Keeps house until the signal aborts; then the rounds under way end early, and it settles with them. */
	async run(signal: AbortSignal): Promise<void> {
		const { sweepMs, orphanMs } = this.#tools.settings;
		await Promise.all([
			this.#repeat(signal, sweepMs, sweepMs, () => this.sweep(signal)),
			// At once, but behind the start: with many blobs the first look takes a while.
			this.#repeat(signal, 0, orphanMs, () => this.sweepOrphans(signal)),
		]);
	}

	/** Deletes bytes first and settles the records after, so that a crash between the two only repeats work. */
	async sweep(signal?: AbortSignal): Promise<void> {
		const { store, log } = this.#tools;
		// What could not be deleted is listed again, before everything younger.
		const stuck = new Set<string>();
		for (let isMore = true; isMore && !signal?.aborted; ) {
			const limit = sweepBatch + stuck.size;
			const items = await store.sweep(limit);
			const settled = await this.#deleteBytes(items, stuck, signal);
			if (settled.length > 0) {
				await store.swept(settled);
				log.info({ swept: settled.length }, 'expired content and removed jobs deleted');
			}
			isMore = items.length === limit;
		}
		await store.tidy();
	}

	/** Deletes bytes that belong to no record, and those that never became a blob. */
	async sweepOrphans(signal?: AbortSignal): Promise<void> {
		const { blobs, store, clock, log, settings } = this.#tools;
		const before = clock.now() - settings.orphanMs;
		const isStopped = () => signal?.aborted ?? false;
		const onFailure = (id: string, err: unknown) => this.#warnOfBytes(id, err);
		const orphans = await deleteOrphans(blobs, store, before, isStopped, onFailure);
		if (orphans > 0) log.info({ orphans }, 'bytes without a record deleted');
		await blobs.sweep?.();
	}

	/**
	 * Returns the items whose bytes are gone, and adds the ids of the others to `stuck`: they must not hold up the
	 * rest.
	 */
	async #deleteBytes(
		items: readonly SweepItem[],
		stuck: Set<string>,
		signal?: AbortSignal,
	): Promise<readonly SweepItem[]> {
		const settled: SweepItem[] = [];
		for (const item of items) {
			if (signal?.aborted) break;
			if (stuck.has(item.id)) continue;
			try {
				await deletePrefix(this.#tools.blobs, jobPrefix(item.id));
				settled.push(item);
			} catch (err) {
				stuck.add(item.id);
				this.#warnOfBytes(item.id, err);
			}
		}
		return settled;
	}

	#warnOfBytes(id: string, err: unknown): void {
		const { log } = this.#tools;
		log.warn({ err, job_id: id }, 'bytes could not be deleted; the next sweep tries again');
	}

	async #repeat(signal: AbortSignal, firstMs: number, everyMs: number, round: () => Promise<void>): Promise<void> {
		const { clock, log } = this.#tools;
		for (let ms = firstMs; ; ms = everyMs) {
			await wait(clock, ms, signal);
			if (signal.aborted) return;
			await round().catch((err: unknown) => log.warn({ err }, 'housekeeping failed; it goes on'));
		}
	}
}

/** Resolves after `ms`, or when the signal aborts. */
function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) return resolve();
		const cancelTimer = clock.after(ms, () => {
			signal.removeEventListener('abort', onAbort);
			resolve();
		});
		const onAbort = () => {
			cancelTimer();
			resolve();
		};
		signal.addEventListener('abort', onAbort, { once: true });
	});
}
