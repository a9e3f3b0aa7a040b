import type { CollectionRef, RecordStore, StoredRecord } from '@plinth/core';
import { hexTime } from '../ids.ts';

/** What happens to a delivery at an instant: it is sent, or its record is deleted. */
export type Due = {
	readonly sort: 'send' | 'purge';
	/** Milliseconds since the Unix epoch. */
	readonly at: number;
	/** The version of the delivery from which this was decided; 0 for a new one. */
	readonly generation: number;
};

/** One entry of the list of what is due. */
export type DueEntry = Due & {
	readonly tenant: string;
	readonly delivery: string;
	/** The line of the target. */
	readonly line: string;
};

/** A page of entries, the earliest first. */
export interface DuePage {
	readonly entries: readonly DueEntry[];
	readonly hasMore: boolean;
}

const collection: CollectionRef = { tenant: 'system', collection: 'webhooks.due' };

/** The id of a delivery's entry. Ids of a sort follow each other by time. */
export function dueId(delivery: string, { sort, at, generation }: Due): string {
	return `${sort}_${hexTime(at)}_${generation}_${delivery}`;
}

/** What is due for all deliveries of all tenants, by time. `Deliveries` says what holds of the entries. */
export class DueList {
	readonly #records: RecordStore;

	constructor(records: RecordStore) {
		this.#records = records;
	}

	/** Writes an entry. Again changes nothing. */
	async put(entry: DueEntry): Promise<void> {
		const id = dueId(entry.delivery, entry);
		const index = entry.sort === 'send' ? { index: entry.line } : {};
		await this.#records.put(collection, id, entry, index);
	}

	/** Deletes the entry that this instant of a delivery has. */
	async remove(delivery: string, due: Due): Promise<void> {
		await this.#records.delete(collection, dueId(delivery, due));
	}

	/** Entries of a sort by time, behind another one. */
	async page(sort: Due['sort'], after: DueEntry | undefined, limit: number): Promise<DuePage> {
		const position = after ? dueId(after.delivery, after) : `${sort}_`;
		const { records, hasMore } = await this.#records.list<DueEntry>(collection, {
			after: position,
			limit,
		});
		const entries = valuesOf(records).filter((entry) => entry.sort === sort);
		const isAmongThem = records.at(-1)?.id.startsWith(`${sort}_`) ?? false;
		return { entries, hasMore: hasMore && isAmongThem };
	}

	/** What is to be sent to one line, by time. */
	async ofLine(line: string, after: DueEntry | undefined, limit: number): Promise<DuePage> {
		const { records, hasMore } = await this.#records.list<DueEntry>(collection, {
			index: line,
			limit,
			...(after ? { after: dueId(after.delivery, after) } : {}),
		});
		return { entries: valuesOf(records), hasMore };
	}
}

function valuesOf(records: readonly StoredRecord<DueEntry>[]): readonly DueEntry[] {
	return records.filter(isIntact).map(({ value }) => value);
}

/** Whether a record says what its id says. One that does not would end the walk, or hold it up where it stands. */
function isIntact({ id, value }: StoredRecord<DueEntry>): boolean {
	return typeof value.tenant === 'string' && id === dueId(value.delivery, value);
}
