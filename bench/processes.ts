import { availableParallelism, cpus } from 'node:os';
import { startOurs } from './gateway/gateways.ts';
import { drive } from './gateway/load.ts';
import { startUpstream } from './gateway/upstream.ts';
import { targetOf, workloads } from './gateway/workloads.ts';
import type { Bench } from './harness/bench.ts';
import { inTurns, median } from './harness/rounds.ts';

const rounds = 7;
const roundMs = 2_000;
const connections = 32;

/**
 * Requests of two processes of `plinth serve` against one, and against two separate servers, with the load and the
 * upstream on the same two cores.
 */
export const processes: Bench = {
	name: 'processes',
	about: 'chats of 1 KB passed on by `--processes 2`, against one process and two servers; two cores for everything',
	needs: ['gcc', 'taskset'],
	async run() {
		const upstream = await startUpstream('both');
		const start = (count: number) => startOurs(upstream, 'chat', { processes: count, processor: 'both' });
		const [two, one, other] = [await start(2), await start(1), await start(1)];
		const ask = async (server: typeof one, ms: number, count = connections) =>
			(await drive(upstream.folder, targetOf(server, workloads.chat), count, ms, 'both')).rate;
		try {
			for (const server of [two, one, other]) await ask(server, 2 * roundMs);
			const all = availableParallelism();
			const busy: number[] = [];
			const askOne = async () => {
				const [before, began] = [idleMs(), performance.now()];
				const rate = await ask(one, roundMs);
				busy.push(all - (idleMs() - before) / (performance.now() - began));
				return rate;
			};
			const askSeparate = async () => {
				const both = await Promise.all([one, other].map((server) => ask(server, roundMs, connections / 2)));
				return both.reduce((sum, rate) => sum + rate);
			};
			const rates = await inTurns(rounds, { ours: () => ask(two, roundMs), one: askOne, separate: askSeparate });
			const ours = { unit: 'requests/s', ours: median(rates.ours) };
			const used = median(busy);
			return [
				{
					...ours,
					name: 'processes',
					reference: { name: 'one process', value: median(rates.one) },
					goal: { of: 'ratio', bound: 'at least', limit: 1.6 },
					rounds: { ours: rates.ours, reference: rates.one },
					note:
						`one process with its load and upstream uses ${used.toFixed(2)} of ${all} processors, ` +
						`so more processes can reach at most ${(all / used).toFixed(2)}x`,
				},
				{
					...ours,
					name: 'the same',
					reference: { name: 'two separate servers', value: median(rates.separate) },
					rounds: { ours: rates.ours, reference: rates.separate },
				},
			];
		} finally {
			await Promise.all([two, one, other].map((server) => server.stop('SIGTERM')));
			await upstream.stop();
		}
	},
};

/** Milliseconds that all processors have been idle so far. Node's times of work leave out soft interrupts. */
function idleMs(): number {
	return cpus().reduce((sum, { times }) => sum + times.idle, 0);
}
