import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../test/support/latency.ts';
import type { Row } from '../harness/bench.ts';
import { startChild } from '../harness/child.ts';
import { residentBytes } from '../harness/cpu.ts';
import { encodeRequest } from '../harness/load.ts';
import { inTurns } from '../harness/rounds.ts';
import { keyHeaders } from '../harness/server.ts';
import type { ReadersRound } from '../subjects/slow-readers.ts';
import type { S3Server } from './server.ts';

const readers = 50;
/** How long the downloads that have begun fill the buffers of their connections, which a reader does not wait for. */
const settleMs = 2_000;
const rounds = 12;
const requests = 400;
const pauseMs = 3;

/** Clients that read a video at 10 KB/s: memory per client, and the latency of other requests. */
export async function slowReaders(server: S3Server): Promise<Row[]> {
	const id = await server.makeVideo(16);
	const clients = startChild('slow-readers.ts');
	await clients.next();
	const path = `/v1/videos/${id}/content`;
	const bytes = encodeRequest({ path, headers: keyHeaders }).toString('base64');
	const open = async (count: number) => {
		clients.send({ port: server.port, request: bytes, count } satisfies ReadersRound);
		await clients.next();
	};
	const poll = () => latencies(server, `/v1/videos/${id}`);
	try {
		// After this, downloads and polls are compiled, and the heap has its working size.
		await open(readers);
		await open(0);
		await poll();
		const before = residentBytes(server.pid);
		const growths: number[] = [];
		const times = { reference: [] as number[], ours: [] as number[] };
		const p99 = await inTurns(rounds, {
			async reference() {
				await open(0);
				await delay(settleMs);
				const round = await poll();
				times.reference.push(...round);
				return percentile(round, 0.99);
			},
			async ours() {
				await open(readers);
				await delay(settleMs);
				const round = await poll();
				growths.push((residentBytes(server.pid) - before) / 1024 ** 2 / readers);
				times.ours.push(...round);
				return percentile(round, 0.99);
			},
		});
		return [
			{
				name: `${readers} readers at 10 KB/s`,
				unit: 'MB that memory grows, per reader',
				ours: Math.max(...growths),
				goal: { of: 'value', bound: 'at most', limit: 2 },
				rounds: { ours: growths },
			},
			{
				// Of all rounds together: that of one round is decided by four requests.
				name: 'a poll beside them',
				unit: 'ms, p99',
				ours: percentile(sorted(times.ours), 0.99),
				reference: { name: 'without them', value: percentile(sorted(times.reference), 0.99) },
				goal: { of: 'ratio', bound: 'at most', limit: 1.2 },
				rounds: p99,
			},
		];
	} finally {
		await clients.stop();
	}
}

/** Response times of sequential requests, in ascending order. */
async function latencies({ port }: S3Server, path: string): Promise<readonly number[]> {
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	const times: number[] = [];
	while (times.length < requests) {
		const began = performance.now();
		const req = request({ port, path, headers: keyHeaders, agent }).end();
		const [answer] = (await once(req, 'response')) as [IncomingMessage];
		await once(answer.resume(), 'end');
		times.push(performance.now() - began);
		if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}.`);
		await delay(pauseMs);
	}
	agent.destroy();
	return sorted(times);
}

function sorted(times: readonly number[]): readonly number[] {
	return times.toSorted((a, b) => a - b);
}
