import { orAbort } from '../contract/abort.ts';
import { errors } from '../contract/errors/errors.ts';
import type { SweepItem } from '../contract/jobs/job-store.ts';
import type { JobDefinition } from '../contract/jobs/jobs.ts';
import type { Clock } from '../contract/ports/clock.ts';
import { claimBlobs, deletePrefix, jobPrefix, ownerOfBlobs, ownerRemedy } from './blobs.ts';
import { cancelUpstream, type JobTools, timeOfId } from './jobs.ts';

/** How many items or ids are handled at once. `JobStore.known` accepts 1,000 at most. */
const batchSize = 500;

/** Deletes expired content and removed jobs. It is the duty of one process at a time. */
export class Housekeeping {
	readonly #tools: JobTools;
	readonly #definitions: ReadonlyMap<string, JobDefinition>;
	#ownsBlobs = false;
	/** Jobs whose bytes could not be deleted. They are listed before all newer ones, and are tried again after those. */
	readonly #undeletable = new Set<string>();

	constructor(tools: JobTools, definitions: ReadonlyMap<string, JobDefinition>) {
		this.#tools = tools;
		this.#definitions = definitions;
	}

	/** Sweeps until the signal aborts. Then the current rounds end early, and the promise settles after them. */
	async run(signal: AbortSignal): Promise<void> {
		const { sweepMs, orphanMs } = this.#tools.settings;
		await Promise.all([
			this.#repeat(signal, sweepMs, sweepMs, () => this.sweep(signal)),
			// At once, but not as a part of the start, because many blobs take a while.
			this.#repeat(signal, 0, orphanMs, () => this.sweepOrphans(signal)),
		]);
	}

	async sweep(signal?: AbortSignal): Promise<void> {
		if (this.#ownsBlobs || (await this.#checkOwner())) await this.#sweepDue(signal);
		await this.#tools.store.tidy();
	}

	/** Deletes bytes first and marks the records afterwards, so that a crash in between only repeats work. */
	async #sweepDue(signal: AbortSignal | undefined): Promise<void> {
		const { store, log } = this.#tools;
		for (let isMore = true; isMore && !signal?.aborted; ) {
			const limit = batchSize + this.#undeletable.size;
			const items = await store.sweep(limit);
			const settled: SweepItem[] = [];
			for (const item of items) {
				if (signal?.aborted) break;
				if (this.#undeletable.has(item.id)) continue;
				await this.#cancelUpstream(item);
				if (await deletePrefix(this.#tools, jobPrefix(item.id))) settled.push(item);
				else this.#undeletable.add(item.id);
			}
			if (settled.length > 0) {
				await store.swept(settled);
				log.info({ swept: settled.length }, 'expired content and removed jobs deleted');
			}
			// If a whole batch failed, the blob store may be unreachable: the next round continues after that batch.
			isMore = items.length === limit && settled.length > 0;
			if (items.length < limit) this.#undeletable.clear();
		}
	}

	/** For a cancelled job that no attempt has ended. If an attempt has ended it, this repeats the cancel. */
	async #cancelUpstream({ due, id, kind, tenant }: SweepItem): Promise<void> {
		const { store, log } = this.#tools;
		const job = due === 'content' ? await store.get(tenant, id) : null;
		if (job?.error?.code === errors.E_JOB_CANCELLED.code) void cancelUpstream(this.#definitions.get(kind), job, log);
	}

	/** Deletes bytes of jobs without a record. Skips jobs created within `orphanMs`, and keys of another form. */
	async sweepOrphans(signal?: AbortSignal): Promise<void> {
		const { blobs, store, clock, log, settings } = this.#tools;
		if (!(await this.#checkOwner())) return;
		let orphans = 0;
		for await (const ids of this.#idsOfBlobs(clock.now() - settings.orphanMs)) {
			if (signal?.aborted) break;
			const known = new Set(await store.known(ids));
			for (const id of ids) {
				if (known.has(id) || signal?.aborted) continue;
				if (await deletePrefix(this.#tools, jobPrefix(id))) orphans += 1;
			}
		}
		if (orphans > 0) log.info({ orphans }, 'bytes without a record deleted');
		await blobs.sweep?.();
	}

	/** If the blobs belong to another job store, this one knows none of their jobs: all would look like orphans. */
	async #checkOwner(): Promise<boolean> {
		const { blobs, store, log } = this.#tools;
		const owner = await ownerOfBlobs(store, blobs);
		if (owner === 'no store') await claimBlobs(store, blobs);
		this.#ownsBlobs = owner !== 'another store';
		if (!this.#ownsBlobs) log.error({ remedy: ownerRemedy }, 'the blobs belong to another job store; nothing is swept');
		return this.#ownsBlobs;
	}

	/** The ids of the jobs that own blobs and were created until `before`, in batches. An id may be repeated. */
	async *#idsOfBlobs(before: number): AsyncGenerator<readonly string[]> {
		const ids = new Set<string>();
		for await (const { key } of this.#tools.blobs.list('jobs/')) {
			const [, id = ''] = key.split('/');
			const time = timeOfId(id);
			if (time === undefined || time > before) continue;
			ids.add(id);
			if (ids.size < batchSize) continue;
			yield [...ids];
			ids.clear();
		}
		if (ids.size > 0) yield [...ids];
	}

	async #repeat(signal: AbortSignal, firstMs: number, everyMs: number, round: () => Promise<void>): Promise<void> {
		const { clock, log } = this.#tools;
		for (let ms = firstMs; ; ms = everyMs) {
			await wait(clock, ms, signal);
			if (signal.aborted) return;
			await round().catch((err: unknown) => log.warn({ err }, 'housekeeping failed; it continues'));
		}
	}
}

function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const cancelTimer = clock.after(ms, resolve);
	return orAbort(signal, promise).catch(cancelTimer);
}
