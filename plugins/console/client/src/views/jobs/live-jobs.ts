import { signal } from '@preact/signals';
import type { Entry, Job, JobPage } from './job.ts';
import { JobList, type ListEvent } from './job-list.ts';

/** Dependencies of the live list. */
export interface LiveJobsOptions {
	/** Loads the page after an id. */
	load(after: string | undefined, signal: AbortSignal): Promise<JobPage>;
	/** Runs a callback before the next frame. */
	schedule(callback: () => void): void;
}

/** The jobs of the tenant, from loaded pages and the feed. Signals change at most once per frame. */
export class LiveJobs {
	readonly entries = signal<readonly Entry[]>([]);
	readonly isLoading = signal(true);
	readonly hasMore = signal(false);
	/** The error of the last request. */
	readonly error = signal<unknown>(undefined);
	readonly #list = new JobList();
	readonly #options: LiveJobsOptions;
	/** The end of the pages that have been loaded. */
	#cursor: string | undefined;
	/** Whether loaded pages may be outdated. */
	#isStale = true;
	#running: AbortController | undefined;
	#isScheduled = false;

	constructor(options: LiveJobsOptions) {
		this.#options = options;
	}

	/** Applies an event of the feed. */
	event(event: ListEvent): void {
		this.#list.apply(event);
		this.#publish();
	}

	/** Loads one job. Events that arrive in the meantime are newer than the response. */
	async loadOne(load: () => Promise<Job>): Promise<Job> {
		const since = this.#list.eventCount;
		const job = await load();
		this.#list.put(job, since);
		this.#publish();
		return job;
	}

	/** Removes a deleted job. */
	remove(id: string): void {
		this.#list.remove(id);
		this.#publish();
	}

	/** Loads the next page, unless something is being loaded. */
	loadMore(): Promise<void> {
		if (this.#running) return Promise.resolve();
		if (this.#isStale) return this.refresh();
		if (!this.hasMore.peek()) return Promise.resolve();
		return this.#run(async (signal) => {
			await this.#loadPage(this.#cursor, signal);
		});
	}

	/** Loads the first page again, unless something is being loaded. */
	loadNewest(): Promise<void> {
		if (this.#running) return Promise.resolve();
		if (this.#isStale) return this.refresh();
		return this.#run(async (signal) => {
			await this.#loadPage(undefined, signal, this.#cursor);
		});
	}

	/** Loads all further pages one after the other. */
	loadAll(): Promise<void> {
		if (this.#running || this.#isStale) return Promise.resolve();
		return this.#run(async (signal) => {
			while (this.hasMore.peek()) await this.#loadPage(this.#cursor, signal);
		});
	}

	/** Reloads all loaded pages. Jobs stay in the list until their page is loaded. */
	refresh(): Promise<void> {
		this.#running?.abort();
		this.#isStale = true;
		return this.#run(async (signal) => {
			const end = this.#cursor;
			let after: string | undefined;
			do {
				const page = await this.#loadPage(after, signal, end);
				after = page.has_more ? (page.last_id ?? undefined) : undefined;
			} while (after !== undefined && end !== undefined && after > end);
			this.#isStale = false;
		});
	}

	/** Aborts the running request. */
	stop(): void {
		this.#running?.abort();
	}

	async #run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
		const controller = new AbortController();
		this.#running = controller;
		this.isLoading.value = true;
		try {
			await work(controller.signal);
			this.error.value = undefined;
		} catch (error) {
			if (!controller.signal.aborted) this.error.value = error;
		} finally {
			if (this.#running === controller) {
				this.#running = undefined;
				this.isLoading.value = false;
			}
		}
	}

	async #loadPage(after: string | undefined, signal: AbortSignal, end?: string): Promise<JobPage> {
		const since = this.#list.eventCount;
		const page = await this.#options.load(after, signal);
		signal.throwIfAborted();
		this.#list.merge(page, after, since);
		// A refresh that stops early must not move the cursor back.
		const last = page.last_id ?? undefined;
		if (!page.has_more || end === undefined || (last !== undefined && last <= end)) {
			this.#cursor = last ?? this.#cursor;
			this.hasMore.value = page.has_more;
		}
		this.#publish();
		return page;
	}

	#publish(): void {
		if (this.#isScheduled) return;
		this.#isScheduled = true;
		this.#options.schedule(() => {
			this.#isScheduled = false;
			this.entries.value = this.#list.entries();
		});
	}
}
