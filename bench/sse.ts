import type { Bench } from './harness/bench.ts';
import { startChild } from './harness/child.ts';
import { Load } from './harness/load.ts';
import { inTurns, median } from './harness/rounds.ts';
import { exposeGc, keyHeaders, startBare, startServer } from './harness/server.ts';
import type { StreamsRound } from './subjects/streams.ts';

const streams = 1_000;
const heartbeat = ': ping\n\n';

/** Memory of an idle event stream. */
export const sse: Bench = {
	name: 'sse',
	about: `memory in use by ${streams} idle event streams, each after its first heartbeat, against node:http`,
	needs: [],
	async run() {
		const sizes = await inTurns(1, {
			ours: () =>
				several(async () => perStream(await startServer({ execArgv: exposeGc }), '/v1/bench/keyed', '/v1/bench/idle')),
			reference: async () => {
				const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
				return several(async () => perStream(await startBare({ headers, heartbeat }, exposeGc), '/short', '/'));
			},
		});
		return [
			{
				name: 'sse',
				unit: 'KB per stream',
				ours: median(sizes.ours),
				reference: { name: 'node:http', value: median(sizes.reference) },
				goal: { of: 'value', bound: 'at most', limit: 25 },
				rounds: sizes,
			},
		];
	},
};

/** The median of three processes: the time of a garbage collection varies. */
async function several(measure: () => Promise<number>): Promise<number> {
	return median(await Promise.all(Array.from({ length: 3 }, measure)));
}

interface Opened {
	readonly pid: number;
	readonly port: number;
	bytesInUse(): Promise<number>;
	stop(): Promise<void>;
}

/** Growth in kilobytes per stream, without garbage, of a process that has handled requests before. */
async function perStream(server: Opened, shortPath: string, path: string): Promise<number> {
	const [clients, load] = [startChild('streams.ts'), await Load.start()];
	const ask = (round: Pick<StreamsRound, 'count' | 'heartbeats'>) => {
		const head = Object.entries(keyHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
		const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${head.join('')}\r\n`;
		clients.send({ port: server.port, request, ...round } satisfies StreamsRound);
		return clients.next();
	};
	try {
		await clients.next();
		const short = { ...server, request: { path: shortPath, headers: keyHeaders } };
		await load.warmUp(short, 16, 5_000);
		await ask({ count: 100, heartbeats: 0 });
		await ask({ count: 0, heartbeats: 0 });
		const before = await server.bytesInUse();
		await ask({ count: streams, heartbeats: 1 });
		return ((await server.bytesInUse()) - before) / 1024 / streams;
	} finally {
		await Promise.all([clients.stop(), load.stop(), server.stop()]);
	}
}
