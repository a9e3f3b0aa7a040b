import { type Entry, isPending, type Job, type JobPage } from './job.ts';

/** An event of the feed, as far as the list reads it. */
export interface ListEvent {
	readonly type: string;
	readonly created_at: number;
	readonly data: { readonly id: string };
	readonly position?: number;
	readonly preview?: string;
}

/** Jobs from pages and events, newest first. A page never overwrites an event that came after its request. */
export class JobList {
	readonly #entries = new Map<string, Entry>();
	/** The ids in the order of the list. */
	readonly #order: string[] = [];
	readonly #deleted = new Set<string>();
	/** The event count at the last change of each job. */
	readonly #changedAt = new Map<string, number>();
	#eventCount = 0;

	/** The number of events so far. A page is merged with the count at the time of its request. */
	get eventCount(): number {
		return this.#eventCount;
	}

	entries(): readonly Entry[] {
		return this.#order.map((id) => this.#entries.get(id) as Entry);
	}

	/** Applies an event of the feed. */
	apply({ type, created_at: at, data, position, preview }: ListEvent): void {
		this.#eventCount += 1;
		if (type === 'job.deleted') {
			this.remove(data.id);
			return;
		}
		if (!isJob(data) || this.#deleted.has(data.id)) return;
		const before = this.#entries.get(data.id);
		// A job that was interrupted starts again.
		const startedAt = type === 'job.started' ? at : data.status === 'queued' ? undefined : before?.startedAt;
		this.#changedAt.set(data.id, this.#eventCount);
		const picture = isPending(data) ? (preview ?? before?.preview) : undefined;
		this.#put({ job: data, startedAt, position, preview: picture });
	}

	/** Adds a job that was requested when the event count was `since`. */
	put(job: Job, since: number): void {
		if (this.#deleted.has(job.id) || this.#isNewer(job.id, since)) return;
		this.#put({ ...this.#entries.get(job.id), job });
	}

	/** Removes a job permanently: a response that arrives later does not add it again. */
	remove(id: string): void {
		this.#deleted.add(id);
		this.#drop(id);
	}

	/** Adds the page after `after`. Removes jobs in its range that the page does not contain: they were deleted. */
	merge({ data, last_id: last, has_more: hasMore }: JobPage, after: string | undefined, since: number): void {
		const listed = new Set(data.map(({ id }) => id));
		const end = hasMore && last !== null ? last : undefined;
		const from = after === undefined ? 0 : indexOf(after, this.#order);
		const to = end === undefined ? this.#order.length : indexOf(end, this.#order) + 1;
		for (const id of this.#order.slice(from, to)) {
			const isWithin = (after === undefined || isAfter(id, after)) && (end === undefined || !isAfter(id, end));
			// Pages contain only videos.
			if (isWithin && !listed.has(id) && !this.#isNewer(id, since) && id.startsWith('video_')) this.#drop(id);
		}
		for (const job of data) this.put(job, since);
	}

	#isNewer(id: string, since: number): boolean {
		return (this.#changedAt.get(id) ?? 0) > since;
	}

	#put(entry: Entry): void {
		const { id } = entry.job;
		if (!this.#entries.has(id)) this.#order.splice(indexOf(id, this.#order), 0, id);
		this.#entries.set(id, entry);
	}

	#drop(id: string): void {
		if (!this.#entries.delete(id)) return;
		this.#order.splice(indexOf(id, this.#order), 1);
	}
}

function isJob(data: { readonly id: string }): data is Job {
	return 'status' in data && 'model' in data;
}

/** Ids are sorted by the part after the kind, which starts with the time. */
function sortKey(id: string): string {
	return id.slice(id.lastIndexOf('_') + 1);
}

/** Whether a job is after another one in the list. */
function isAfter(id: string, other: string): boolean {
	return sortKey(id) < sortKey(other);
}

/** The index of an id, or the index to insert it at. */
function indexOf(id: string, order: readonly string[]): number {
	let [low, high] = [0, order.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isAfter(id, order[middle] as string)) low = middle + 1;
		else high = middle;
	}
	return low;
}
