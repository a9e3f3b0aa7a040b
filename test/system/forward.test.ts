import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth, root } from '../support/cli.ts';
import { usageOfGroup } from '../support/process-tree.ts';
import { type Seeded, seeded } from '../support/seeded.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const requestCount = 10_000;
const concurrency = 64;
const key = 'key-of-the-tests';
/** The content of responses. It is no hexadecimal digit, so it differs from chunk lengths. */
const letter = 'x';

/** The course of one request. */
interface Plan {
	/** The response of the upstream: the number and the size of its chunks. */
	readonly chunkCount: number;
	readonly size: number;
	readonly kind: 'length' | 'chunked' | 'events';
	/** The index of the chunk before which the upstream disconnects; 0 is before the head. */
	readonly upstreamDisconnectsAt: number | undefined;
	/** The number of received bytes after which the client disconnects. 0 is during the request or right after it. */
	readonly clientDisconnectsAt: number | undefined;
}

let cwd: string;
let child: Child;
let port: number;
const sockets = new Set<Socket>();
let running = 0;

const upstream = createServer((req, res) => {
	running += 1;
	res.on('close', () => {
		running -= 1;
	});
	let text = '';
	req.on('data', (chunk: Buffer) => {
		text += chunk;
	});
	req.on('end', () => respond(req.socket, res, (JSON.parse(text) as { plan: Plan }).plan));
	req.on('error', () => {});
});

function respond(socket: Socket, res: ServerResponse, plan: Plan): void {
	const { chunkCount, size, kind, upstreamDisconnectsAt } = plan;
	let index = 0;
	const step = (): void => {
		if (res.destroyed) return;
		if (index === upstreamDisconnectsAt) {
			socket.destroy();
			return;
		}
		if (index === 0) {
			res.writeHead(200, {
				'content-type': kind === 'events' ? 'text/event-stream' : 'application/json',
				...(kind === 'length' ? { 'content-length': String(chunkCount * size) } : {}),
			});
		}
		if (index === chunkCount) {
			res.end();
			return;
		}
		index += 1;
		res.write(Buffer.alloc(size, letter));
		setImmediate(step);
	};
	step();
}

beforeAll(async () => {
	upstream.on('connection', (socket) => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
	upstream.closeAllConnections();
	upstream.close();
});

/** Sends a request, and disconnects as its plan says. Resolves to the fault of the response, if any. */
function sendInterrupted(plan: Plan, random: Seeded): Promise<string | undefined> {
	const body = JSON.stringify({ model: 'ours', plan });
	const head = [
		'POST /v1/passing HTTP/1.1',
		'host: plinth.test',
		`authorization: Bearer ${key}`,
		'content-type: application/json',
		`content-length: ${body.length}`,
		'connection: close',
	];
	const text = `${head.join('\r\n')}\r\n\r\n${body}`;
	const { clientDisconnectsAt } = plan;
	const requestLength =
		clientDisconnectsAt === 0 && random.chance(0.3) ? random.integer(1, text.length - 1) : undefined;
	return new Promise((resolve) => {
		const socket = connect({ port, host: '127.0.0.1' });
		const chunks: Buffer[] = [];
		let received = 0;
		let hasDisconnected = false;
		const disconnect = () => {
			hasDisconnected = true;
			socket.destroy();
		};
		socket.on('connect', () => {
			socket.write(text.slice(0, requestLength), () => {
				if (clientDisconnectsAt === 0) setImmediate(disconnect);
			});
		});
		socket.on('data', (chunk: Buffer) => {
			chunks.push(chunk);
			received += chunk.length;
			if (clientDisconnectsAt !== undefined && received >= clientDisconnectsAt) disconnect();
		});
		socket.on('error', () => {});
		socket.on('close', () => {
			resolve(hasDisconnected ? undefined : faultOf(plan, Buffer.concat(chunks).toString('latin1')));
		});
	});
}

function faultOf({ chunkCount, size, kind, upstreamDisconnectsAt }: Plan, text: string): string | undefined {
	const status = text.slice(9, 12);
	if (upstreamDisconnectsAt === 0) return status === '400' ? undefined : `a lost upstream was answered with ${status}`;
	// The end of the response was already sent.
	const isWhole = upstreamDisconnectsAt === undefined || upstreamDisconnectsAt > chunkCount;
	if (isWhole && status !== '200') return `a complete response was answered with ${status}`;
	const headLength = text.indexOf('\r\n\r\n') + 4;
	const body = text.slice(headLength);
	const letters = body.length - body.replaceAll(letter, '').length;
	// A stream that ended together with its start has a content length, too.
	const hasLength = kind === 'length' || /\r\ncontent-length:/i.test(text.slice(0, headLength));
	const ends = hasLength ? letters === chunkCount * size : body === '' || body.endsWith('0\r\n\r\n');
	if (isWhole) return ends && letters === chunkCount * size ? undefined : 'a response is truncated';
	return status === '200' && text.includes('\r\n\r\n') && ends && body !== ''
		? 'a partial response ends as if it were complete'
		: undefined;
}

function planOf(random: Seeded): Plan {
	const chunkCount = random.integer(1, 6);
	const size = random.pick([1, 100, 3_000, 20_000]);
	const disconnecting = random.pick(['client', 'upstream', 'both', 'nobody']);
	return {
		chunkCount,
		size,
		kind: random.pick(['length', 'chunked', 'events']),
		upstreamDisconnectsAt:
			disconnecting === 'upstream' || disconnecting === 'both' ? random.integer(0, chunkCount - 1) : undefined,
		clientDisconnectsAt:
			disconnecting === 'client' || disconnecting === 'both'
				? random.pick([0, 1, 200, 700, random.integer(1, chunkCount * size + 600)])
				: undefined,
	};
}

async function burst(count: number, random: Seeded): Promise<readonly string[]> {
	const faults: string[] = [];
	let left = count;
	const caller = async () => {
		while (left > 0) {
			left -= 1;
			const plan = planOf(random);
			const fault = await sendInterrupted(plan, random);
			if (fault) faults.push(`${fault}: ${JSON.stringify(plan)}`);
		}
	};
	await Promise.all(Array.from({ length: concurrency }, caller));
	return faults;
}

describe('a server that forwards requests', () => {
	beforeAll(async () => {
		cwd = await temporaryDir('forward');
		child = plinth(['serve', '--config', join(root, 'test/support/forward.config.ts')], {
			cwd,
			env: {
				PORT: '0',
				PLINTH_API_KEYS: `me:${key}`,
				TEST_UPSTREAM: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
			},
		});
		const [, url = ''] = await child.printed(/serving +(http:\S+)/);
		port = Number(new URL(url).port);
	});

	afterAll(async () => {
		await child?.kill();
		await removeDir(cwd);
	});

	test(`has no work, connection or descriptor left after ${requestCount} interrupted requests`, async () => {
		const random = seeded();
		onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${child.stderr().slice(-2_000)}`));
		// Warm-up: loaded modules and the memory that a burst needs do not count as growth.
		expect(await burst(requestCount / 2, random)).toEqual([]);
		const before = usageOfGroup(child.pid);
		expect(await burst(requestCount / 2, random)).toEqual([]);

		await eventually('the upstream is idle', () => running === 0);
		// A connection with a running request would remain.
		upstream.closeIdleConnections();
		await eventually('no connection to the upstream is left', () => sockets.size === 0);
		await eventually('no descriptor is left', () => {
			return usageOfGroup(child.pid).descriptors <= before.descriptors + 2;
		});
		const { residentBytes } = usageOfGroup(child.pid);
		expect(residentBytes - before.residentBytes).toBeLessThan(100_000_000);

		// A running request would delay the stop.
		child.signal('SIGTERM');
		const { code, stdout, stderr } = await child.exit;
		expect(code).toBe(0);
		const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('{'));
		const told = new Set(lines.map((line) => (JSON.parse(line) as { msg: string }).msg));
		expect([...told]).toEqual(['the upstream did not finish its answer']);
	});
});
