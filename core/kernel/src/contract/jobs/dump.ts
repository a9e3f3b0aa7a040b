import { isDeepStrictEqual } from 'node:util';
import { plinthError } from '../errors/coded-error.ts';
import type { Job, JobCallback, JobEvent } from './job.ts';

/** The calls that end an attempt. */
export type AttemptEnding = 'complete' | 'fail' | 'release';

/** Fields of a job that only its store uses. */
export interface JobUpkeep {
	/** When `take` may hand out or end the job: 0, the time of the retry, or the lease's end; null once it ended. */
	readonly dueAt: number | null;
	/** The length of the current lease. In a dump, 0 unless an attempt runs. */
	readonly leaseMs: number;
	/** The call that ended the attempt with the current fence, so that a repeat is recognised; null while it runs. */
	readonly endedBy: AttemptEnding | null;
	/** When `tidy` first found that no worker offers the model; null while one does. */
	readonly unofferedSince: number | null;
	/** When the bytes are due for deletion: the expiry, or the end of a failed job; null without bytes. */
	readonly contentDueAt: number | null;
	/** When the record is due for deletion; null until the job ends or is removed. */
	readonly recordDueAt: number | null;
	readonly removed: boolean;
	/** The highest retry count of the requests that created or received the job. */
	readonly receivedRetry: number;
}

/** Everything that a store keeps of a job, also of a removed one. */
export interface StoredJob extends Omit<Job, 'expired'>, JobUpkeep {
	readonly callback: JobCallback | null;
	readonly idempotencyKey: string | null;
	readonly fingerprint: string | null;
}

/** A part of a dump. `trimmed` and `head`: the cursors after the last trimmed event and after the newest one. */
export type JobDump =
	| { readonly type: 'store'; readonly identity: string; readonly trimmed: string; readonly head: string }
	| { readonly type: 'job'; readonly job: StoredJob }
	| { readonly type: 'event'; readonly event: JobEvent };

/** Copies jobs from one store to another. No process may use either store meanwhile. */
export interface JobDumps {
	/** Reads the store in pages: its identity, its jobs by id, its events in order; no offers, duties or turns. */
	dump(): AsyncIterable<JobDump>;
	/**
	 * Writes parts of one dump in order, 500 at most, in one transaction. The store adopts its identity, and its cursors
	 * stay valid. Parts that are present already stay, so a load can be repeated. Rejects with `E_STORE_DIFFERS`, writing
	 * nothing, if the store has a part with other content, jobs of another identity, or events after the dump's head.
	 */
	load(parts: readonly JobDump[]): Promise<void>;
}

/** The rows of all pages. `read` returns the page after a row. */
export async function* pagesOf<Row>(
	read: (last: Row | undefined) => readonly Row[] | Promise<readonly Row[]>,
): AsyncGenerator<Row, undefined> {
	for (let page = await read(undefined); page.length > 0; page = await read(page.at(-1))) yield* page;
}

/** Parts of a dump by their types. */
export function partsOf(parts: readonly JobDump[]) {
	return {
		store: parts.find((part) => part.type === 'store'),
		jobs: parts.flatMap((part) => (part.type === 'job' ? [part.job] : [])),
		events: parts.flatMap((part) => (part.type === 'event' ? [part.event] : [])),
	};
}

/** The items that a store does not have. Throws `E_STORE_DIFFERS` if it has one of them with other content. */
export function absentFrom<T>(present: readonly T[], items: readonly T[], nameOf: (item: T) => string): readonly T[] {
	const known = new Map(present.map((item) => [nameOf(item), item]));
	return items.filter((item) => {
		const existing = known.get(nameOf(item));
		if (existing === undefined || isDeepStrictEqual(existing, item)) return existing === undefined;
		throw plinthError('E_STORE_DIFFERS', { message: `The store has ${nameOf(item)} with other content.` });
	});
}

/** Throws `E_STORE_DIFFERS` unless the store may load the dump. Cursors of both are numbers. */
export function checkLoadable(
	{ identity, head }: Extract<JobDump, { readonly type: 'store' }>,
	target: { readonly identity: string; readonly head: string; readonly hasJobs: boolean },
): void {
	const isEmpty = !target.hasJobs && target.head === '0';
	if (!isEmpty && identity !== target.identity) throw plinthError('E_STORE_DIFFERS');
	if (Number(target.head) <= Number(head)) return;
	throw plinthError('E_STORE_DIFFERS', { message: 'The store has events after those of the dump.' });
}
