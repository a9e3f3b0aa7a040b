// Runs in the writer thread, inside a transaction.
import type { QueueMessage } from '@plinth/core';
import type { Connection } from '../engine/connection.ts';
import * as sql from './statements.ts';

/** What a consumer may take now. */
interface TakeInput {
	readonly kind: string;
	readonly count: number;
	/** The tenant that was served last: the turn is with the next one in the order of their names. */
	readonly after: string;
	/** How many more messages a tenant may have in flight; one that is not named may have `perTenant`. */
	readonly room: Readonly<Record<string, number>>;
	readonly perTenant: number;
}

/** The writes of the queue. */
export const queueCommands = {
	'queue.enqueue'(db: Connection, { kind, tenant, jobId }: QueueMessage): void {
		db.run(sql.insertMessage, { kind, tenant, jobId });
	},

	'queue.take'(db: Connection, { kind, count, after, room, perTenant }: TakeInput): QueueMessage[] {
		const left = new Map(Object.entries(room));
		const roomOf = (tenant: string) => left.get(tenant) ?? perTenant;
		const taken: QueueMessage[] = [];
		let last = after;
		while (taken.length < count) {
			const tenant = nextTenant(db, kind, last, (name) => roomOf(name) > 0);
			const row =
				tenant !== undefined && db.get<{ job_id: string }>(sql.takeOldest, { kind, tenant });
			if (!row) break;
			taken.push({ kind, tenant, jobId: row.job_id });
			left.set(tenant, roomOf(tenant) - 1);
			last = tenant;
		}
		return taken;
	},
};

/** The tenant behind `after` in the ring of those that have a message waiting. */
function nextTenant(
	db: Connection,
	kind: string,
	after: string,
	mayTake: (tenant: string) => boolean,
): string | undefined {
	for (const start of [after, '']) {
		let tenant = start;
		for (;;) {
			const row = db.get<{ tenant: string }>(sql.nextTenant, { kind, after: tenant });
			if (!row) break;
			if (mayTake(row.tenant)) return row.tenant;
			tenant = row.tenant;
		}
	}
	return undefined;
}
