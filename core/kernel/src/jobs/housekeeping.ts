import { orAbort } from '../contract/abort.ts';
import type { SweepItem } from '../contract/jobs/job-store.ts';
import type { Clock } from '../contract/ports/clock.ts';
import { claimBlobs, ownerOfBlobs, ownerRemedy } from './blob-owner.ts';
import { deletePrefix, jobPrefix } from './blobs.ts';
import { type JobTools, timeOfId } from './jobs.ts';

/** How many items or ids are handled at once. `JobStore.known` takes 1,000 at most. */
const batch = 500;

/** Deletes what has expired or was removed. It is the duty of one process at a time. */
export class Housekeeping {
	readonly #tools: JobTools;
	#ownsBlobs = false;

	constructor(tools: JobTools) {
		this.#tools = tools;
	}

	/** Sweeps until the signal aborts; then the rounds under way end early, and it settles with them. */
	async run(signal: AbortSignal): Promise<void> {
		const { sweepMs, orphanMs } = this.#tools.settings;
		await Promise.all([
			this.#repeat(signal, sweepMs, sweepMs, () => this.sweep(signal)),
			// At once, but not within the start: many blobs take a while.
			this.#repeat(signal, 0, orphanMs, () => this.sweepOrphans(signal)),
		]);
	}

	/** Deletes what is due, where the blobs are those of the job store. */
	async sweep(signal?: AbortSignal): Promise<void> {
		if (this.#ownsBlobs || (await this.#checkOwner())) await this.#sweepDue(signal);
		await this.#tools.store.tidy();
	}

	/** Deletes bytes first and settles the records after, so that a crash between the two only repeats work. */
	async #sweepDue(signal: AbortSignal | undefined): Promise<void> {
		const { store, log } = this.#tools;
		// What could not be deleted is listed again, before everything younger.
		const stuck = new Set<string>();
		for (let isMore = true; isMore && !signal?.aborted; ) {
			const limit = batch + stuck.size;
			const items = await store.sweep(limit);
			const settled: SweepItem[] = [];
			for (const item of items) {
				if (signal?.aborted) break;
				if (stuck.has(item.id)) continue;
				if (await this.#deleteBytes(item.id)) settled.push(item);
				else stuck.add(item.id);
			}
			if (settled.length > 0) {
				await store.swept(settled);
				log.info({ swept: settled.length }, 'expired content and removed jobs deleted');
			}
			isMore = items.length === limit;
		}
	}

	/** Deletes the bytes of jobs without a record, but for those made within `orphanMs`, and keys of another form. */
	async sweepOrphans(signal?: AbortSignal): Promise<void> {
		const { blobs, store, clock, log, settings } = this.#tools;
		if (!(await this.#checkOwner())) return;
		let orphans = 0;
		for await (const ids of this.#idsOfBlobs(clock.now() - settings.orphanMs)) {
			if (signal?.aborted) break;
			const known = new Set(await store.known(ids));
			for (const id of ids) {
				if (known.has(id) || signal?.aborted) continue;
				if (await this.#deleteBytes(id)) orphans += 1;
			}
		}
		if (orphans > 0) log.info({ orphans }, 'bytes without a record deleted');
		await blobs.sweep?.();
	}

	/** A server on the blobs of another one knows none of their jobs, and would take all of them for orphans. */
	async #checkOwner(): Promise<boolean> {
		const { blobs, store, log } = this.#tools;
		const owner = await ownerOfBlobs(store, blobs);
		if (owner === 'nobody') await claimBlobs(store, blobs);
		this.#ownsBlobs = owner !== 'another';
		if (!this.#ownsBlobs) log.error({ remedy: ownerRemedy }, 'the blobs belong to another job store; nothing is swept');
		return this.#ownsBlobs;
	}

	/** The ids of the jobs that own blobs and were made until `before`, in batches. An id may come again. */
	async *#idsOfBlobs(before: number): AsyncGenerator<readonly string[]> {
		const ids = new Set<string>();
		for await (const { key } of this.#tools.blobs.list('jobs/')) {
			const [, id = ''] = key.split('/');
			const time = timeOfId(id);
			if (time === undefined || time > before) continue;
			ids.add(id);
			if (ids.size < batch) continue;
			yield [...ids];
			ids.clear();
		}
		if (ids.size > 0) yield [...ids];
	}

	/** False when the bytes could not be deleted, which must not hold up the rest. */
	async #deleteBytes(id: string): Promise<boolean> {
		try {
			await deletePrefix(this.#tools.blobs, jobPrefix(id));
			return true;
		} catch (err) {
			this.#tools.log.warn({ err, job_id: id }, 'bytes could not be deleted; the next sweep tries again');
			return false;
		}
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
	const { promise, resolve } = Promise.withResolvers<void>();
	const cancelTimer = clock.after(ms, resolve);
	return orAbort(signal, promise).catch(cancelTimer);
}
