import { signal } from '@preact/signals';
import { type Entry, isPending, type Job, type JobPage } from './job.ts';
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
	/** Not set by `loadNewest`. */
	readonly isLoading = signal(true);
	readonly hasMore = signal(false);
	/** The error of the last request. */
	readonly error = signal<unknown>(undefined);
	readonly #list = new JobList();
	readonly #options: LiveJobsOptions;
	/** The newest job of the first page. */
	#newest: string | undefined;
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
		// At once: a loaded job that is not in the list was deleted.
		this.entries.value = this.#list.entries();
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
		this.isLoading.value = true;
		return this.#run((signal) => this.#loadPage(this.#cursor, signal));
	}

	/** Loads the first page again, unless something is being loaded; all loaded pages if that is not sufficient. */
	loadNewest(): Promise<void> {
		if (this.#running) return Promise.resolve();
		if (this.#isStale) return this.refresh();
		return this.#run(async (signal) => {
			const newest = this.#newest;
			const { last_id: last, has_more: hasMore } = await this.#loadPage(undefined, signal, this.#cursor);
			if (!hasMore || last === null) return;
			const isBehind = ({ job }: Entry) => job.object === 'video' && isPending(job) && job.id < last;
			if ((newest !== undefined && last > newest) || this.#list.entries().some(isBehind)) await this.#reload(signal);
		});
	}

	/** Loads all further pages one after the other. */
	loadAll(): Promise<void> {
		if (this.#running || this.#isStale) return Promise.resolve();
		this.isLoading.value = true;
		return this.#run(async (signal) => {
			while (this.hasMore.peek()) await this.#loadPage(this.#cursor, signal);
		});
	}

	/** Reloads all loaded pages. Jobs stay in the list until their page is loaded. */
	refresh(): Promise<void> {
		this.#running?.abort();
		this.isLoading.value = true;
		return this.#run((signal) => this.#reload(signal));
	}

	/** Aborts the running request. */
	stop(): void {
		this.#running?.abort();
	}

	async #reload(signal: AbortSignal): Promise<void> {
		this.#isStale = true;
		const end = this.#cursor;
		let after: string | undefined;
		do {
			const page = await this.#loadPage(after, signal, end);
			after = page.has_more ? (page.last_id ?? undefined) : undefined;
		} while (after !== undefined && end !== undefined && after > end);
		this.#isStale = false;
	}

	async #run(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
		const controller = new AbortController();
		this.#running = controller;
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
		if (after === undefined) this.#newest = page.data[0]?.id;
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
