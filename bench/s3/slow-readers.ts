import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { p99 } from '../../test/support/latency.ts';
import type { Row } from '../harness/bench.ts';
import { startChild } from '../harness/child.ts';
import { residentBytes } from '../harness/cpu.ts';
import { encodeRequest } from '../harness/load.ts';
import { inTurns } from '../harness/rounds.ts';
import { keyHeaders } from '../harness/server.ts';
import type { ReadersRound } from '../subjects/slow-readers.ts';
import type { S3Server } from './server.ts';

const readers = 50;
/** Time for new downloads to fill the buffers of their connections. After it, the readers set the pace. */
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
		const polls = { reference: [] as number[], ours: [] as number[] };
		const round = async (subject: keyof typeof polls, count: number) => {
			await open(count);
			await delay(settleMs);
			const times = await poll();
			polls[subject].push(...times);
			return p99(times);
		};
		const p99s = await inTurns(rounds, {
			reference: () => round('reference', 0),
			async ours() {
				const value = await round('ours', readers);
				growths.push((residentBytes(server.pid) - before) / 1024 ** 2 / readers);
				return value;
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
				// Of the polls of all rounds: in one round, the four slowest polls decide.
				name: 'a poll beside them',
				unit: 'ms, p99',
				ours: p99(polls.ours),
				reference: { name: 'without them', value: p99(polls.reference) },
				goal: { of: 'ratio', bound: 'at most', limit: 1.2 },
				rounds: p99s,
			},
		];
	} finally {
		await clients.stop();
	}
}

/** Response times of sequential requests in milliseconds. */
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
	return times;
}
