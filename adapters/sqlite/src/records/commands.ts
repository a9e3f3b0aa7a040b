// Runs in the writer thread, inside a transaction.
import type { Connection } from '../engine/connection.ts';

interface Named {
	readonly tenant: string;
	readonly collection: string;
	readonly id: string;
}

interface PutInput extends Named {
	readonly value: string;
	readonly index: string | null;
	readonly ifVersion: number | null;
	readonly now: number;
}

const named = `tenant = $tenant AND collection = $collection AND id = $id`;
const putRecord = `
	INSERT OR REPLACE INTO records (tenant, collection, id, value, version, updated_at, index_value)
	VALUES ($tenant, $collection, $id, $value, $version, $now, $index)`;

/** A record as its row. */
export type DumpRow = readonly [
	...key: readonly [tenant: string, collection: string, id: string],
	...rest: readonly [value: string, version: number, updatedAt: number, index: string | null],
];

const loadRecord = `
	INSERT OR IGNORE INTO records (tenant, collection, id, value, version, updated_at, index_value)
	VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** The writes of the record store. */
export const recordCommands = {
	'records.put'(db: Connection, { ifVersion, ...record }: PutInput): number | null {
		const { tenant, collection, id } = record;
		const row = db.get<[number]>(`SELECT version FROM records WHERE ${named}`, { tenant, collection, id });
		const current = row?.[0] ?? 0;
		if (ifVersion !== null && ifVersion !== current) return null;
		const version = current + 1;
		db.run(putRecord, { ...record, version });
		return version;
	},

	'records.load'(db: Connection, rows: readonly DumpRow[]): void {
		for (const row of rows) db.run(loadRecord, ...row);
	},

	'records.delete'(db: Connection, { tenant, collection, id }: Named): boolean {
		return db.run(`DELETE FROM records WHERE ${named}`, { tenant, collection, id }) > 0;
	},
};
