import type { WireVideo } from './client.ts';

/** What went wrong, in the words of the table. */
export type FaultKind = 'lost' | 'terminal moved' | 'half-served' | 'came back' | 'replayed wrongly' | 'server error';

/** A job as its client knows it. */
export interface Entry {
	readonly model: 'quick' | 'builtin-video';
	readonly prompt: string;
	/** Its `Idempotency-Key`. */
	readonly key: string | undefined;
	readonly hasReference: boolean;
	/** Known once a 201 has arrived. */
	id?: string;
	/** How it ended, as it was seen for the first time. */
	ended?: string;
	status?: WireVideo['status'];
	error?: string;
	etag?: string;
	/** `asked`: the answer did not arrive, so that nobody knows. */
	removal: 'none' | 'asked' | 'done';
	/** One client at a time. */
	isBusy: boolean;
}

/** What clients were promised while processes were killed, and where a promise was broken. */
export class Ledger {
	readonly entries: Entry[] = [];
	readonly faults: { readonly kind: FaultKind; readonly text: string }[] = [];

	/** Notes a job that is about to be asked for. */
	plan(facts: Pick<Entry, 'model' | 'prompt' | 'key' | 'hasReference'>): Entry {
		const entry: Entry = { ...facts, removal: 'none', isBusy: true };
		this.entries.push(entry);
		return entry;
	}

	/** Entries that nobody uses at the moment and that `isWanted`. */
	free(isWanted: (entry: Entry) => boolean): readonly Entry[] {
		return this.entries.filter((entry) => !entry.isBusy && isWanted(entry));
	}

	fault(kind: FaultKind, text: string): void {
		this.faults.push({ kind, text });
	}

	count(kind: FaultKind): number {
		return this.faults.filter((fault) => fault.kind === kind).length;
	}

	/** A create was answered 201: from now on the job must be there. */
	acknowledge(entry: Entry, video: WireVideo): void {
		if (entry.id !== undefined && entry.id !== video.id) {
			this.fault('replayed wrongly', `${entry.key} made ${entry.id} and then ${video.id}`);
		}
		entry.id ??= video.id;
		this.see(entry, video);
	}

	/** The job was read. */
	see(entry: Entry, { status, completed_at, error }: WireVideo): void {
		if (entry.removal === 'done') this.fault('came back', `${entry.id} is ${status} again`);
		entry.status = status;
		const isOver = status === 'completed' || status === 'failed';
		if (!isOver && entry.ended === undefined) return;
		const ending = `${status} at ${completed_at} ${error?.code ?? ''}`;
		entry.ended ??= ending;
		if (error) entry.error = error.code;
		if (entry.ended !== ending) {
			this.fault('terminal moved', `${entry.id}: ${entry.ended}, then ${ending}`);
		}
	}

	/** The job was not found. */
	miss(entry: Entry): void {
		if (entry.removal === 'none') this.fault('lost', `${entry.id} (${entry.prompt})`);
		else entry.removal = 'done';
	}
}
