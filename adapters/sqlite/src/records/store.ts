import type {
	Clock,
	CollectionRef,
	JsonObject,
	PutOptions,
	RecordListOptions,
	RecordStore,
	StoredRecord,
} from '@plinth/core';
import type { Database } from '../engine/database.ts';
import * as sql from './statements.ts';

interface RecordRow {
	readonly id: string;
	readonly value: string;
	readonly version: number;
	readonly updated_at: number;
}

/** `RecordStore` on a SQLite file. */
export class SqliteRecordStore implements RecordStore {
	readonly #db: Database;
	readonly #clock: Clock;

	constructor(database: Database, clock: Clock) {
		this.#db = database;
		this.#clock = clock;
	}

	async get<T extends JsonObject>({ tenant, collection }: CollectionRef, id: string) {
		const row = this.#db.get<RecordRow>(sql.selectRecord, { tenant, collection, id });
		return row ? toRecord<T>(row) : null;
	}

	async put(ref: CollectionRef, id: string, value: JsonObject, options: PutOptions = {}) {
		const { tenant, collection } = ref;
		return this.#db.write('records.put', {
			tenant,
			collection,
			id,
			value: JSON.stringify(value),
			index: options.index ?? null,
			ifVersion: options.ifVersion ?? null,
			now: this.#clock.now(),
		});
	}

	delete({ tenant, collection }: CollectionRef, id: string): Promise<boolean> {
		return this.#db.write('records.delete', { tenant, collection, id });
	}

	async list<T extends JsonObject>(ref: CollectionRef, options: RecordListOptions) {
		const { tenant, collection } = ref;
		const { index, after = '', limit } = options;
		const rows = this.#db.all<RecordRow>(sql.selectPage(index !== undefined), {
			tenant,
			collection,
			after,
			limit: limit + 1,
			...(index !== undefined && { index }),
		});
		return {
			records: rows.slice(0, limit).map((row) => toRecord<T>(row)),
			hasMore: rows.length > limit,
		};
	}

	check(): Promise<readonly string[]> {
		return this.#db.check();
	}
}

function toRecord<T extends JsonObject>(row: RecordRow): StoredRecord<T> {
	const { id, version, updated_at: updatedAt } = row;
	return { id, value: JSON.parse(row.value) as T, version, updatedAt };
}
