import { startOurs } from './gateway/gateways.ts';
import { drive } from './gateway/load.ts';
import { startUpstream } from './gateway/upstream.ts';
import { targetOf, workloads } from './gateway/workloads.ts';
import type { Bench } from './harness/bench.ts';
import { inTurns, median } from './harness/rounds.ts';

const rounds = 7;
const roundMs = 2_000;
const connections = 32;

/** What a second process of `plinth serve` is worth, with the load and the upstream on the same two cores. */
export const processes: Bench = {
	name: 'processes',
	about: 'chats of 1 KB passed on by `--processes 2`, against one process; two cores for everything',
	needs: ['gcc', 'taskset'],
	async run() {
		const upstream = await startUpstream('both');
		const start = (count: number) => startOurs(upstream, 'chat', { processes: count, processor: 'both' });
		const [two, one] = [await start(2), await start(1)];
		const ask = async (server: typeof one, ms: number) =>
			(await drive(upstream.folder, targetOf(server, workloads.chat), connections, ms, 'both')).rate;
		try {
			for (const server of [two, one]) await ask(server, 2 * roundMs);
			const rates = await inTurns(rounds, { ours: () => ask(two, roundMs), reference: () => ask(one, roundMs) });
			return [
				{
					name: 'processes',
					unit: 'requests/s',
					ours: median(rates.ours),
					reference: { name: 'one process', value: median(rates.reference) },
					goal: { of: 'ratio', bound: 'at least', limit: 1.6 },
					rounds: rates,
				},
			];
		} finally {
			await Promise.all([two.stop('SIGTERM'), one.stop('SIGTERM')]);
			await upstream.stop();
		}
	},
};
