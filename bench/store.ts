import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './harness/bench.ts';
import { type Child, startChild } from './harness/child.ts';
import { inTurns, median } from './harness/rounds.ts';

const rounds = 7;
const roundMs = 2_000;

/** Jobs through the SQLite store, compared with the same rows written by plain statements on the main thread. */
export const store: Bench = {
	name: 'store',
	about: 'create + take + complete through the SQLite job store, 32 callers, against a raw group-commit loop',
	needs: [],
	async run() {
		const dir = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
		const children = { ours: startStore('plinth', dir), reference: startStore('raw', dir) };
		try {
			for (const child of Object.values(children)) {
				await child.next();
				// The first jobs include the time of compiling the code.
				await drive(child, 1_000);
			}
			const rates = await inTurns(rounds, {
				ours: () => drive(children.ours, roundMs),
				reference: () => drive(children.reference, roundMs),
			});
			const [ours, theirs] = [median(rates.ours), median(rates.reference)];
			return [
				{
					name: 'store',
					unit: 'jobs/s',
					ours,
					reference: { name: 'raw node:sqlite', value: theirs },
					goal: { of: 'ratio', bound: 'at least', limit: 0.5 },
					rounds: rates,
					note: 'both commit with synchronous FULL; ours does so on a thread of its own, so that the event loop stays free',
				},
			];
		} finally {
			await Promise.all(Object.values(children).map((child) => child.stop()));
			await rm(dir, { recursive: true, force: true });
		}
	},
};

function startStore(side: string, dir: string): Child {
	return startChild('store.ts', { args: [side, dir] });
}

/** Jobs per second. */
async function drive(child: Child, forMs: number): Promise<number> {
	child.send({ forMs });
	const { rate } = await child.next<{ rate: number }>();
	return rate;
}
