// Runs in the writer thread, inside the transaction of a take.
import type { Connection } from '../engine/connection.ts';
import type { JobRow } from './rows.ts';
import * as sql from './statements.ts';

/** What a worker asks for, and how jobs end that may not run again. */
export interface TakeInput {
	readonly now: number;
	readonly recordDueAt: number;
	readonly cancelled: string;
	readonly kind: string;
	readonly worker: string;
	readonly leaseMs: number;
	readonly count: number;
	/** A JSON array; null: any. */
	readonly models: string | null;
	/** By model, at most so many jobs of it. */
	readonly limits: Readonly<Record<string, number>>;
	readonly perTenant: number | null;
	/** A JSON array of ids. */
	readonly running: string;
	readonly seenAt: number;
	readonly exhausted: string;
}

/** Takes jobs one by one: the tenant behind the one that was served last, its oldest job, while it may have another. */
export function turns(
	db: Connection,
	{ kind, count, models, limits, perTenant, running, now }: TakeInput,
	take: (id: string) => JobRow,
): readonly JobRow[] {
	if (count < 1) return [];
	const left = new Map<string, number>();
	const roomOf = (tenant: string) => left.get(tenant) ?? perTenant ?? Number.POSITIVE_INFINITY;
	const isRunning = running !== '[]';
	if (isRunning) {
		for (const [tenant] of db.all<readonly [string]>(sql.selectTenants, { ids: running })) {
			left.set(tenant, roomOf(tenant) - 1);
		}
	}
	const first = db.get<readonly [string]>(sql.selectTurn, kind)?.[0] ?? '';
	const select = sql.selectOldestDue(models !== null, isRunning);
	const room = new Map(Object.entries(limits));
	const withRoom = () => JSON.stringify(JSON.parse(models ?? '[]').filter((name: string) => room.get(name) !== 0));
	let allowed = withRoom();
	const oldest = (tenant: string) => {
		const filters = [...(models === null ? [] : [allowed]), ...(isRunning ? [running] : [])];
		return roomOf(tenant) > 0 ? db.get<readonly [string]>(select, kind, tenant, now, ...filters)?.[0] : undefined;
	};
	const taken: JobRow[] = [];
	let last = first;
	while (taken.length < count) {
		const next = nextInTurn(db, kind, last, oldest);
		if (!next) break;
		const row = take(next.id);
		taken.push(row);
		const model = row[4];
		const most = room.get(model);
		if (most !== undefined) {
			room.set(model, most - 1);
			allowed = withRoom();
		}
		left.set(next.tenant, roomOf(next.tenant) - 1);
		last = next.tenant;
	}
	if (last !== first) db.run(sql.keepTurn, { kind, tenant: last });
	return taken;
}

/** The job of the first tenant behind `last`, in the ring of those that have jobs pending, for which there is one. */
function nextInTurn(
	db: Connection,
	kind: string,
	last: string,
	oldest: (tenant: string) => string | undefined,
): { readonly tenant: string; readonly id: string } | undefined {
	for (const start of [last, '']) {
		let after = start;
		for (;;) {
			const tenant = db.get<readonly [string]>(sql.nextTenant, kind, after)?.[0];
			if (tenant === undefined) break;
			const id = oldest(tenant);
			if (id !== undefined) return { tenant, id };
			after = tenant;
		}
	}
	return undefined;
}
