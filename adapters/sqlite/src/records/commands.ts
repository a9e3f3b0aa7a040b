// Runs in the writer thread, inside a transaction.
import type { Connection } from '../engine/connection.ts';
import * as sql from './statements.ts';

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

/** The writes of the record store. */
export const recordCommands = {
	'records.put'(db: Connection, { ifVersion, ...record }: PutInput): number | null {
		const { tenant, collection, id } = record;
		const row = db.get<{ version: number }>(sql.selectVersion, { tenant, collection, id });
		const current = row?.version ?? 0;
		if (ifVersion !== null && ifVersion !== current) return null;
		const version = current + 1;
		db.run(sql.putRecord, { ...record, version });
		return version;
	},

	'records.delete'(db: Connection, { tenant, collection, id }: Named): boolean {
		return db.run(sql.deleteRecord, { tenant, collection, id }) > 0;
	},
};
