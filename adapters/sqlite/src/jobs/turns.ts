// Runs in the writer thread, inside the transaction of a take.
import type { Connection } from '../engine/connection.ts';
import type { JobRow } from './rows.ts';
import * as sql from './statements.ts';

/** The request of a worker, and the errors for jobs that may not run again. */
export interface TakeInput {
	readonly now: number;
	readonly recordDueAt: number;
	readonly cancelled: string;
	readonly kind: string;
	readonly worker: string;
	readonly leaseMs: number;
	readonly count: number;
	/** A JSON array; null: all models. */
	readonly models: string | null;
	/** Maximum number of jobs by model. */
	readonly limits: Readonly<Record<string, number>>;
	readonly perTenant: number | null;
	/** A JSON array of ids. */
	readonly running: string;
	readonly seenAt: number;
	readonly exhausted: string;
}

/** Takes jobs one by one, each the oldest job of the next tenant in turn that is below its limit. */
export function takeInTurns(
	db: Connection,
	{ kind, count, models, limits, perTenant, running, now }: TakeInput,
	take: (id: string) => JobRow,
): readonly JobRow[] {
	if (count < 1) return [];
	const remainingByTenant = new Map<string, number>();
	const remainingOf = (tenant: string) => remainingByTenant.get(tenant) ?? perTenant ?? Number.POSITIVE_INFINITY;
	const isRunning = running !== '[]';
	if (isRunning) {
		for (const [tenant] of db.all<readonly [string]>(sql.selectTenants, { ids: running })) {
			remainingByTenant.set(tenant, remainingOf(tenant) - 1);
		}
	}
	const first = db.get<readonly [string]>(sql.selectTurn, kind)?.[0] ?? '';
	const select = sql.selectOldestDue(models !== null, isRunning);
	const remainingByModel = new Map(Object.entries(limits));
	const allModels: string[] = JSON.parse(models ?? '[]');
	const allowedModels = () => JSON.stringify(allModels.filter((name) => remainingByModel.get(name) !== 0));
	let allowed = allowedModels();
	const oldest = (tenant: string) => {
		const filters = [...(models === null ? [] : [allowed]), ...(isRunning ? [running] : [])];
		return remainingOf(tenant) > 0 ? db.get<readonly [string]>(select, kind, tenant, now, ...filters)?.[0] : undefined;
	};
	const taken: JobRow[] = [];
	let last = first;
	while (taken.length < count) {
		const next = nextInTurn(db, kind, last, oldest);
		if (!next) break;
		const row = take(next.id);
		taken.push(row);
		const model = row[4];
		const remaining = remainingByModel.get(model);
		if (remaining !== undefined) {
			remainingByModel.set(model, remaining - 1);
			allowed = allowedModels();
		}
		remainingByTenant.set(next.tenant, remainingOf(next.tenant) - 1);
		last = next.tenant;
	}
	if (last !== first) db.run(sql.keepTurn, { kind, tenant: last });
	return taken;
}

/** The job of the first tenant after `last` for which `oldest` finds one. After the last tenant follows the first. */
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
