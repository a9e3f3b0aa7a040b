import { eventually } from '@plinth/testing';
import { ownPostgres } from '../test/engines/support/postgres.ts';
import { createFleet } from '../test/support/fleet.ts';
import { readRuns } from '../test/support/quick-video.ts';
import type { Bench, Row } from './harness/bench.ts';

const jobs = 100;

/** The time until an idle worker starts a job that another process has accepted, on one PostgreSQL. */
export const pickup: Bench = {
	name: 'pickup',
	about: 'from the answer of an API process to the start in an idle worker, with hints and without',
	needs: ['postgres'],
	async run() {
		const server = await ownPostgres();
		try {
			const withHints = await pickups(await server.database(), 'shared');
			const without = await pickups(await server.database(), 'own');
			return [row('pickup with hints, p99', withHints, 50), row('pickup without hints, p99', without, 1_200)];
		} finally {
			await server.remove();
		}
	},
};

/** Milliseconds of each job, one at a time. */
async function pickups(database: string, hints: 'shared' | 'own'): Promise<readonly number[]> {
	const fleet = await createFleet('pickup', { database, env: { TEST_HINTS: hints } });
	try {
		const [api] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work()]);
		const times: number[] = [];
		for (let n = 0; n < jobs; n += 1) {
			const prompt = `pickup ${n} ms=1 kb=1`;
			await api.client.create({ model: 'quick', prompt });
			const answeredAt = Date.now();
			const findRun = () => readRuns(fleet.runsFile).find((run) => run.prompt === prompt);
			await eventually('the job has begun', () => findRun() !== undefined, 10_000);
			times.push((findRun()?.at ?? Number.NaN) - answeredAt);
			await eventually('the worker is idle', () => readRuns(fleet.runsFile).length === 2 * (n + 1), 10_000);
		}
		return times;
	} finally {
		await fleet.remove();
	}
}

function row(name: string, times: readonly number[], limit: number): Row {
	const ours = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
	const goal = { of: 'value', bound: 'at most', limit } as const;
	return { name, unit: 'ms', ours, goal, rounds: { ours: times } };
}
