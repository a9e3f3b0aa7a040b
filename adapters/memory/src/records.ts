import {
	absentFrom,
	type Clock,
	type CollectionRef,
	defineBackend,
	type JsonObject,
	type PutOptions,
	type RecordDump,
	type RecordListOptions,
	type RecordStore,
	type StoredRecord,
	services,
} from '@plinth/core';
import { z } from 'zod';

/** Records in memory, kept until the process exits. */
export const memoryRecords = defineBackend({
	name: 'memoryRecords',
	provides: services.records,
	config: z.strictObject({}),
	needs: { clock: services.clock },
	create: ({ services: { clock } }) => new MemoryRecordStore(clock),
});

interface Row extends StoredRecord {
	readonly index: string | undefined;
}

class MemoryRecordStore implements RecordStore {
	readonly #collections = new Map<string, Map<string, Row>>();
	readonly #clock: Clock;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	async get<T extends JsonObject>(ref: CollectionRef, id: string) {
		const row = this.#rows(ref).get(id);
		return row ? stored<T>(row) : null;
	}

	async put(ref: CollectionRef, id: string, value: JsonObject, options: PutOptions = {}) {
		const rows = this.#rows(ref);
		const current = rows.get(id)?.version ?? 0;
		if (options.ifVersion !== undefined && options.ifVersion !== current) return null;
		const version = current + 1;
		rows.set(id, {
			id,
			value: structuredClone(value),
			version,
			updatedAt: this.#clock.now(),
			index: options.index,
		});
		return version;
	}

	async delete(ref: CollectionRef, id: string) {
		return this.#rows(ref).delete(id);
	}

	async list<T extends JsonObject>(ref: CollectionRef, options: RecordListOptions) {
		const { index, after, limit } = options;
		const rows = [...this.#rows(ref).values()]
			.filter((row) => index === undefined || row.index === index)
			.filter((row) => after === undefined || row.id > after)
			.sort((a, b) => (a.id < b.id ? -1 : 1));
		return {
			records: rows.slice(0, limit).map((row) => stored<T>(row)),
			hasMore: rows.length > limit,
		};
	}

	async *dump(): AsyncGenerator<RecordDump> {
		for (const [name, rows] of [...this.#collections].sort()) {
			const [tenant, collection] = JSON.parse(name) as [string, string];
			for (const [, row] of [...rows].sort()) yield { tenant, collection, ...dumped(row) };
		}
	}

	async load(records: readonly RecordDump[]): Promise<void> {
		const present = records.flatMap(({ tenant, collection, id }) => {
			const row = this.#rows({ tenant, collection }).get(id);
			return row ? [{ tenant, collection, ...dumped(row) }] : [];
		});
		const nameOf = ({ tenant, collection, id }: RecordDump) => `${collection} ${id} of ${tenant}`;
		for (const { tenant, collection, index, ...row } of absentFrom(present, records, nameOf)) {
			this.#rows({ tenant, collection }).set(row.id, { ...structuredClone(row), index: index ?? undefined });
		}
	}

	#rows({ tenant, collection }: CollectionRef): Map<string, Row> {
		const name = JSON.stringify([tenant, collection]);
		const rows = this.#collections.get(name) ?? new Map<string, Row>();
		this.#collections.set(name, rows);
		return rows;
	}
}

function dumped(row: Row) {
	return { ...stored(row), index: row.index ?? null };
}

function stored<T extends JsonObject>({ id, value, version, updatedAt }: Row): StoredRecord<T> {
	return { id, value: structuredClone(value) as T, version, updatedAt };
}
