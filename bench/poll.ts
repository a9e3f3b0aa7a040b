import type { Bench } from './harness/bench.ts';
import { Load, type Target } from './harness/load.ts';
import { cpuFigures, inTurns } from './harness/rounds.ts';
import { keyHeaders, startBare, startServer } from './harness/server.ts';

const connections = 32;

/** Headers that Node adds itself, and headers that differ between responses. */
const perAnswer = ['date', 'connection', 'keep-alive'];

/** The most frequent request: the status of a video. */
export const poll: Bench = {
	name: 'poll',
	about: `GET /v1/videos/{id} with a key on ${connections} connections, against node:http answering the same bytes`,
	needs: [],
	async run() {
		const server = await startServer();
		const path = `/v1/videos/${await server.makeVideo()}`;
		const answer = await server.fetch(path);
		const headers = Object.fromEntries([...answer.headers].filter(([name]) => !perAnswer.includes(name)));
		const bare = await startBare({ headers, body: await answer.text() });
		const load = await Load.start();
		try {
			const request = { path, headers: keyHeaders };
			const targets: Record<'ours' | 'reference', Target> = {
				ours: { ...server, request },
				reference: { ...bare, request },
			};
			for (const target of Object.values(targets)) await load.warmUp(target, connections, 40_000);
			const samples = await inTurns(7, {
				ours: () => load.run(targets.ours, connections, 1_500),
				reference: () => load.run(targets.reference, connections, 1_500),
			});
			return [
				{
					name: 'poll',
					unit: 'CPU ms per request',
					...cpuFigures(samples, 'node:http'),
					goal: { of: 'ratio', bound: 'at most', limit: 2.5 },
				},
			];
		} finally {
			await Promise.all([server.stop(), bare.stop(), load.stop()]);
		}
	},
};
