import {
	absentFrom,
	type Clock,
	type CollectionRef,
	defineBackend,
	type JsonObject,
	type PutOptions,
	pagesOf,
	type RecordDump,
	type RecordListOptions,
	type RecordStore,
	type StoredRecord,
	services,
} from '@plinth/core';
import { z } from 'zod';
import { type Database, fileOption, openDatabase } from '../engine/database.ts';
import type { DumpRow } from './commands.ts';

/** Records in a SQLite file. */
export const sqliteRecords = defineBackend({
	name: 'sqliteRecords',
	provides: services.records,
	config: z.strictObject({ file: fileOption }),
	needs: { clock: services.clock },
	async create({ config, services: { clock }, log, onStop }) {
		const { database, close } = await openDatabase(config.file, log);
		onStop(close);
		return new SqliteRecordStore(database, clock);
	},
});

type RecordRow = readonly [id: string, value: string, version: number, updatedAt: number];

const select = `SELECT id, value, version, updated_at FROM records WHERE tenant = $tenant AND collection = $collection`;

const key = 'tenant, collection, id';
const selectDump = `SELECT ${key}, value, version, updated_at, index_value FROM records`;
/** The records with the keys of a JSON array. */
const selectKeys = `${selectDump} WHERE (${key}) IN
	(SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`;

class SqliteRecordStore implements RecordStore {
	readonly #db: Database;
	readonly #clock: Clock;

	constructor(database: Database, clock: Clock) {
		this.#db = database;
		this.#clock = clock;
	}

	async get<T extends JsonObject>({ tenant, collection }: CollectionRef, id: string) {
		const row = this.#db.get<RecordRow>(`${select} AND id = $id`, { tenant, collection, id });
		return row ? toRecord<T>(row) : null;
	}

	async put({ tenant, collection }: CollectionRef, id: string, value: JsonObject, options: PutOptions = {}) {
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

	async list<T extends JsonObject>({ tenant, collection }: CollectionRef, options: RecordListOptions) {
		// The empty id sorts before every other.
		const { index, after = '', limit } = options;
		const byIndex = index === undefined ? '' : 'AND index_value = $index';
		// One more than the page, to see whether more follow.
		const values = { tenant, collection, after, limit: limit + 1, ...(index !== undefined && { index }) };
		const rows = this.#db.all<RecordRow>(`${select} ${byIndex} AND id > $after ORDER BY id LIMIT $limit`, values);
		return { records: rows.slice(0, limit).map((row) => toRecord<T>(row)), hasMore: rows.length > limit };
	}

	async *dump(): AsyncGenerator<RecordDump> {
		const page = ([tenant, collection, id]: readonly string[] | DumpRow = ['', '', '']) =>
			this.#db.all<DumpRow>(
				`${selectDump} WHERE (${key}) > (?, ?, ?) ORDER BY ${key} LIMIT 200`,
				tenant,
				collection,
				id,
			);
		for await (const row of pagesOf<DumpRow>(page)) yield toDump(row);
	}

	async load(records: readonly RecordDump[]): Promise<void> {
		const keys = JSON.stringify(records.map(({ tenant, collection, id }) => [tenant, collection, id]));
		const present = this.#db.all<DumpRow>(selectKeys, keys).map(toDump);
		const nameOf = ({ tenant, collection, id }: RecordDump) => `${collection} ${id} of ${tenant}`;
		const absent = absentFrom(present, records, nameOf);
		await this.#db.write('records.load', absent.map(toRow));
	}

	check(): Promise<readonly string[]> {
		return this.#db.check();
	}
}

function toRecord<T extends JsonObject>([id, value, version, updatedAt]: RecordRow): StoredRecord<T> {
	return { id, value: JSON.parse(value) as T, version, updatedAt };
}

function toDump([tenant, collection, id, value, version, updatedAt, index]: DumpRow): RecordDump {
	return { tenant, collection, id, value: JSON.parse(value), version, updatedAt, index };
}

function toRow({ tenant, collection, id, value, version, updatedAt, index }: RecordDump): DumpRow {
	return [tenant, collection, id, JSON.stringify(value), version, updatedAt, index];
}
