import { createHash } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { direct, type Gateway } from './gateways.ts';
import type { MockUpstream } from './upstream.ts';
import { targetOf, type Workload } from './workloads.ts';

/** How many responses were compared, and how many had the upstream's bytes. The others have the same content. */
export interface Likeness {
	readonly compared: number;
	readonly same: number;
}

/** As many connections as the load has: some kinds of models allow few more requests at once. */
const clients = 32;
/** A client that disconnects early does so after this many bytes. */
const enough = 20_000;
const pauseMs = 5;

/**
 * Compares the responses of a gateway with the upstream's, over reused connections. Half of the clients read slowly,
 * and each tenth disconnects in the middle. Throws when a response differs in content.
 */
export async function likenessTo(upstream: MockUpstream, gateway: Gateway, workload: Workload): Promise<Likeness> {
	const agent = new Agent({ keepAlive: true, maxSockets: clients });
	try {
		const expected = await read(direct(upstream), workload, agent, {});
		const first = await read(gateway, workload, agent, {});
		const concurrent = Array.from({ length: clients }, (_, index) =>
			read(gateway, workload, agent, { isSlow: index % 2 === 1, disconnects: index % 10 === 9 }),
		);
		const answers = [first, ...(await Promise.all(concurrent))];
		// A client that disconnected may have left data on a connection that the next one uses.
		answers.push(await read(gateway, workload, agent, {}));
		const complete = answers.filter((body) => body !== undefined);
		const different = complete.filter((body) => digest(body) !== digest(expected));
		const meaning = expected && workload.meaning(expected);
		for (const body of different) {
			if (isDeepStrictEqual(workload.meaning(body), meaning)) continue;
			throw new Error(`${workload.name}: our answer is not what the upstream said.`);
		}
		return { compared: complete.length, same: complete.length - different.length };
	} finally {
		agent.destroy();
	}
}

interface ReadOptions {
	readonly isSlow?: boolean;
	readonly disconnects?: boolean;
}

/** The body of a response; undefined for a client that disconnected. */
async function read(
	gateway: Gateway,
	workload: Workload,
	agent: Agent,
	{ isSlow = false, disconnects = false }: ReadOptions,
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
		if (disconnects && received > enough) return undefined;
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
