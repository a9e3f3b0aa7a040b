import { ownPostgres } from '../test/engines/support/postgres.ts';
import type { Bench, Row } from './harness/bench.ts';
import { type Child, startChild } from './harness/child.ts';
import { inTurns, median } from './harness/rounds.ts';

const rounds = 7;
const roundMs = 1_500;

/** Jobs through the PostgreSQL store, compared with pg-boss and a plain table, on one server. */
export const postgres: Bench = {
	name: 'postgres',
	about: 'create + take + complete through the PostgreSQL job store, 32 callers, against pg-boss and a bare table',
	needs: ['postgres', 'pg-boss'],
	async run() {
		const server = await ownPostgres();
		const start = async (side: string, ...more: string[]) =>
			startChild('postgres.ts', { args: [side, await server.database(), ...more] });
		const children = {
			ours: await start('plinth'),
			hints: await start('plinth', 'hints'),
			boss: await start('boss'),
			bare: await start('bare'),
		};
		const { ours, hints, boss, bare } = children;
		try {
			for (const child of Object.values(children)) {
				await child.next();
				await drive(child, { what: 'job', forMs: roundMs });
			}
			const job = { what: 'job', forMs: roundMs };
			const jobs = await inTurns(rounds, {
				ours: () => drive(ours, job),
				boss: () => drive(boss, job),
				bare: () => drive(bare, job),
			});
			const read = { what: 'read', forMs: roundMs / 2 };
			const reads = await inTurns(rounds, { ours: () => drive(ours, read), bare: () => drive(bare, read) });
			const create = { what: 'create', forMs: roundMs };
			const creates = await inTurns(rounds, { hints: () => drive(hints, create), ours: () => drive(ours, create) });
			const polls = await inTurns(rounds, {
				many: () => drive(ours, { waiting: 10_000 }),
				none: () => drive(ours, { waiting: 0 }),
			});
			return [
				row('jobs, beside pg-boss', 'jobs/s', jobs.ours, ['pg-boss, polling', jobs.boss], 'at least', 1),
				row('jobs, beside a table', 'jobs/s', jobs.ours, ['three statements, SKIP LOCKED', jobs.bare], 'at least', 0.5),
				row('read by id', 'reads/s', reads.ours, ['SELECT by key', reads.bare], 'at least', 0.7),
				row('creates with hints', 'creates/s', creates.hints, ['without hints', creates.ours], 'at least', 0.9),
				row('10,000 wait, no slot free', 'statements/poll', polls.many, ['none waits', polls.none], 'at most', 1.2),
			];
		} finally {
			await Promise.all(Object.values(children).map((child) => child.stop()));
			await server.remove();
		}
	},
};

function row(
	name: string,
	unit: string,
	ours: readonly number[],
	[reference, theirs]: readonly [string, readonly number[]],
	bound: 'at least' | 'at most',
	limit: number,
): Row {
	return {
		name,
		unit,
		ours: median(ours),
		reference: { name: reference, value: median(theirs) },
		goal: { of: 'ratio', bound, limit },
		rounds: { ours, reference: theirs },
	};
}

/** Calls per second, or the duration of a poll. */
async function drive(child: Child, order: object): Promise<number> {
	child.send(order);
	const { rate } = await child.next<{ rate: number }>();
	return rate;
}
