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
import { Batch } from '../engine/batch.ts';
import { type DatabaseHandle, migrateDatabase, openDatabase } from '../engine/database.ts';
import { databaseOptions } from '../engine/options.ts';
import { toError } from '../errors.ts';

/** Records in PostgreSQL, for any number of processes. */
export const postgresRecords = defineBackend({
	name: 'postgresRecords',
	provides: services.records,
	config: z.strictObject(databaseOptions),
	migrate: migrateDatabase,
	async create({ config, log, onStop }) {
		const database = await openDatabase(config, log);
		onStop(database.close);
		const store = new PostgresRecordStore(database);
		onStop(() => store.close());
		return store;
	},
});

/** A write for `run_records`. */
interface Command extends CollectionRef {
	readonly op: 'put' | 'delete';
	readonly id: string;
	readonly value?: string;
	readonly index_value?: string | undefined;
	readonly if_version?: number | undefined;
}

type Row = readonly [id: string, value: string, version: number, updatedAt: number];

const select = `SELECT r.id, r.value, r.version, r.updated_at FROM plinth.records r
	WHERE r.tenant = $1 AND r.collection = $2`;
const run = 'SELECT r.n, r.written FROM plinth.run_records($1::jsonb, $2::bigint) r';

type DumpRow = readonly [tenant: string, collection: string, ...Row, index: string | null];

const selectDump = `SELECT r.tenant, r.collection, r.id, r.value, r.version, r.updated_at, r.index_value
	FROM plinth.records r`;
const selectPage = `${selectDump} WHERE (r.tenant, r.collection, r.id) > ($1, $2, $3)
	ORDER BY r.tenant, r.collection, r.id LIMIT 200`;
const selectKeys = `${selectDump} WHERE (r.tenant, r.collection, r.id) IN
	(SELECT g.tenant, g.collection, g.id FROM jsonb_to_recordset($1::jsonb) AS g(tenant text, collection text, id text))`;
const insertRows = `INSERT INTO plinth.records SELECT * FROM jsonb_populate_recordset(NULL::plinth.records, $1::jsonb)
	ON CONFLICT DO NOTHING`;

/** `RecordStore` in PostgreSQL. The time is that of the database, or in tests of a clock. */
export class PostgresRecordStore implements RecordStore {
	readonly #db: DatabaseHandle;
	readonly #writes: Batch<Command, number | null>;

	constructor(db: DatabaseHandle, clock?: Pick<Clock, 'now'>) {
		this.#db = db;
		this.#writes = new Batch(db.pool.address, async (commands) => {
			const values = [JSON.stringify(commands), clock?.now() ?? null];
			const rows = await db.pool.write<readonly [n: number, written: number | null]>(db.sql(run), values);
			const written = new Map(rows);
			return commands.map((_, n) => written.get(n) ?? null);
		});
	}

	async get<T extends JsonObject>({ tenant, collection }: CollectionRef, id: string) {
		const [row] = await this.#read(`${select} AND r.id = $3`, [tenant, collection, id]);
		return row ? toRecord<T>(row) : null;
	}

	put({ tenant, collection }: CollectionRef, id: string, value: JsonObject, options: PutOptions = {}) {
		const { index: index_value, ifVersion: if_version } = options;
		const record = { tenant, collection, id, value: JSON.stringify(value) };
		return this.#writes.call({ op: 'put', ...record, index_value, if_version });
	}

	async delete({ tenant, collection }: CollectionRef, id: string): Promise<boolean> {
		return (await this.#writes.call({ op: 'delete', tenant, collection, id })) !== null;
	}

	async list<T extends JsonObject>({ tenant, collection }: CollectionRef, options: RecordListOptions) {
		// The empty id sorts before every other.
		const { index, after = '', limit } = options;
		const byIndex = index === undefined ? '' : 'AND r.index_value = $5';
		// One more than the page, to see whether more follow.
		const values = [tenant, collection, after, limit + 1, ...(index === undefined ? [] : [index])];
		const rows = await this.#read(`${select} ${byIndex} AND r.id > $3 ORDER BY r.id LIMIT $4`, values);
		return { records: rows.slice(0, limit).map((row) => toRecord<T>(row)), hasMore: rows.length > limit };
	}

	async *dump(): AsyncGenerator<RecordDump> {
		const page = ([tenant, collection, id]: readonly string[] | DumpRow = ['', '', '']) =>
			this.#db.pool.read<DumpRow>(this.#db.sql(selectPage), [tenant, collection, id]);
		for await (const row of pagesOf<DumpRow>(page)) yield toDump(row);
	}

	async load(records: readonly RecordDump[]): Promise<void> {
		const { pool, sql } = this.#db;
		const keys = records.map(({ tenant, collection, id }) => ({ tenant, collection, id }));
		const present = (await pool.read<DumpRow>(sql(selectKeys), [JSON.stringify(keys)])).map(toDump);
		const nameOf = ({ tenant, collection, id }: RecordDump) => `${collection} ${id} of ${tenant}`;
		const rows = absentFrom(present, records, nameOf).map(({ value, updatedAt, index, ...row }) => {
			return { ...row, value: JSON.stringify(value), updated_at: updatedAt, index_value: index };
		});
		await pool.write(sql(insertRows), [JSON.stringify(rows)]).catch((error) => {
			throw toError(error, pool.address);
		});
	}

	async ping(): Promise<void> {
		await this.#db.pool.read('SELECT 1');
	}

	/** Waits for the writes in progress. */
	close(): Promise<void> {
		return this.#writes.settled();
	}

	#read(text: string, values: readonly unknown[]): Promise<Row[]> {
		return this.#db.pool.read<Row>(this.#db.sql(text), values);
	}
}

function toRecord<T extends JsonObject>([id, value, version, updatedAt]: Row): StoredRecord<T> {
	return { id, value: JSON.parse(value) as T, version, updatedAt };
}

function toDump([tenant, collection, id, value, version, updatedAt, index]: DumpRow): RecordDump {
	return { tenant, collection, id, value: JSON.parse(value), version, updatedAt, index };
}
