import { createHash } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { direct, type Gateway } from './gateways.ts';
import type { MockUpstream } from './upstream.ts';
import { targetOf, type Workload } from './workloads.ts';

/** How many answers were compared, and how many of them were the upstream's own bytes; the others say the same. */
export interface Likeness {
	readonly compared: number;
	readonly same: number;
}

/** As many as the load has connections: some kinds of models have no places for many more. */
const clients = 32;
/** Bytes after which a client that leaves has had enough. */
const enough = 20_000;
const pauseMs = 5;

/**
 * Compares what a gateway answers with what the upstream does, over connections that are used again: half of the clients read slowly, each tenth leaves
 * in the middle. Throws when an answer says something else.
 */
export async function likenessTo(upstream: MockUpstream, gateway: Gateway, workload: Workload): Promise<Likeness> {
	const agent = new Agent({ keepAlive: true, maxSockets: clients });
	try {
		const wanted = await read(direct(upstream), workload, agent, {});
		const first = await read(gateway, workload, agent, {});
		const crowd = Array.from({ length: clients }, (_, index) =>
			read(gateway, workload, agent, { isSlow: index % 2 === 1, leaves: index % 10 === 9 }),
		);
		const answers = [first, ...(await Promise.all(crowd))];
		// Those who left may have left something behind on connections that others use next.
		answers.push(await read(gateway, workload, agent, {}));
		const whole = answers.filter((body) => body !== undefined);
		const others = whole.filter((body) => digest(body) !== digest(wanted));
		const meaning = wanted && workload.meaning(wanted);
		for (const body of others) {
			if (isDeepStrictEqual(workload.meaning(body), meaning)) continue;
			throw new Error(`${workload.name}: our answer is not what the upstream said.`);
		}
		return { compared: whole.length, same: whole.length - others.length };
	} finally {
		agent.destroy();
	}
}

interface Manner {
	readonly isSlow?: boolean;
	readonly leaves?: boolean;
}

/** The body of an answer; undefined for a client that has left. */
async function read(
	gateway: Gateway,
	workload: Workload,
	agent: Agent,
	{ isSlow = false, leaves = false }: Manner,
): Promise<Buffer | undefined> {
	const { port, request: wire } = targetOf(gateway, workload);
	const { method = 'GET', path, headers = {}, body } = wire;
	const length = body ? { 'content-length': body.length } : {};
	const answer = await new Promise<IncomingMessage>((resolve, reject) => {
		const options = { host: '127.0.0.1', port, method, path, agent };
		const sent = request({ ...options, headers: { ...headers, ...length } }, resolve);
		sent.on('error', reject);
		sent.end(body);
	});
	const chunks: Buffer[] = [];
	let received = 0;
	for await (const chunk of answer as AsyncIterable<Buffer>) {
		chunks.push(chunk);
		received += chunk.length;
		// Leaving the loop destroys the connection.
		if (leaves && received > enough) return undefined;
		if (isSlow && chunks.length % 5 === 0) await new Promise((wake) => setTimeout(wake, pauseMs));
	}
	const all = Buffer.concat(chunks);
	if (answer.statusCode === 200) return all;
	throw new Error(`${workload.name}: ${answer.statusCode} ${all.toString('utf8', 0, 500)}`);
}

function digest(body: Buffer | undefined): string {
	return createHash('sha256')
		.update(body ?? '')
		.digest('hex');
}
