import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth, root } from '../support/cli.ts';
import { usageOfGroup } from '../support/process-tree.ts';
import { type Seeded, seeded } from '../support/seeded.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const visits = 10_000;
const atOnce = 64;
const key = 'key-of-the-tests';
/** What answers are made of: no digit of the length of a chunk. */
const letter = 'x';

/** What becomes of one request. */
interface Plan {
	/** The answer of the upstream: so many pieces of so many bytes. */
	readonly pieces: number;
	readonly size: number;
	readonly kind: 'length' | 'chunked' | 'events';
	/** Before which piece the upstream breaks off; 0 is before the head. */
	readonly breaksAt: number | undefined;
	/** Behind how many bytes the client leaves; 0 is as soon as it has asked, or before it has asked to the end. */
	readonly leavesAt: number | undefined;
}

let cwd: string;
let child: Child;
let port: number;
const sockets = new Set<Socket>();
let underWay = 0;

const upstream = createServer((req, res) => {
	underWay += 1;
	res.on('close', () => {
		underWay -= 1;
	});
	let text = '';
	req.on('data', (chunk: Buffer) => {
		text += chunk;
	});
	req.on('end', () => answer(req.socket, res, (JSON.parse(text) as { plan: Plan }).plan));
	req.on('error', () => {});
});

function answer(socket: Socket, res: ServerResponse, plan: Plan): void {
	const { pieces, size, kind, breaksAt } = plan;
	let piece = 0;
	const step = (): void => {
		if (res.destroyed) return;
		if (piece === breaksAt) {
			socket.destroy();
			return;
		}
		if (piece === 0) {
			res.writeHead(200, {
				'content-type': kind === 'events' ? 'text/event-stream' : 'application/json',
				...(kind === 'length' ? { 'content-length': String(pieces * size) } : {}),
			});
		}
		if (piece === pieces) {
			res.end();
			return;
		}
		piece += 1;
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

/** Sends a request, and leaves when its plan says so. Resolves with what is wrong with the answer. */
function visit(plan: Plan, random: Seeded): Promise<string | undefined> {
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
	const { leavesAt } = plan;
	const cut = leavesAt === 0 && random.chance(0.3) ? random.integer(1, text.length - 1) : undefined;
	return new Promise((resolve) => {
		const socket = connect({ port, host: '127.0.0.1' });
		const chunks: Buffer[] = [];
		let received = 0;
		let isGone = false;
		const leave = () => {
			isGone = true;
			socket.destroy();
		};
		socket.on('connect', () => {
			socket.write(text.slice(0, cut), () => {
				if (leavesAt === 0) setImmediate(leave);
			});
		});
		socket.on('data', (chunk: Buffer) => {
			chunks.push(chunk);
			received += chunk.length;
			if (leavesAt !== undefined && received >= leavesAt) leave();
		});
		socket.on('error', () => {});
		socket.on('close', () => {
			resolve(isGone ? undefined : faultOf(plan, Buffer.concat(chunks).toString('latin1')));
		});
	});
}

function faultOf({ pieces, size, kind, breaksAt }: Plan, text: string): string | undefined {
	const status = text.slice(9, 12);
	if (breaksAt === 0) return status === '400' ? undefined : `a lost upstream was told as ${status}`;
	// Its end was sent already.
	const isWhole = breaksAt === undefined || breaksAt > pieces;
	if (isWhole && status !== '200') return `a whole answer was told as ${status}`;
	const headLength = text.indexOf('\r\n\r\n') + 4;
	const body = text.slice(headLength);
	const letters = body.length - body.replaceAll(letter, '').length;
	// A stream whose end came with its beginning has a length too.
	const hasLength = kind === 'length' || /\r\ncontent-length:/i.test(text.slice(0, headLength));
	const ends = hasLength ? letters === pieces * size : body === '' || body.endsWith('0\r\n\r\n');
	if (isWhole) return ends && letters === pieces * size ? undefined : 'an answer has lost its end';
	return status === '200' && text.includes('\r\n\r\n') && ends && body !== ''
		? 'a part of an answer has a clean end'
		: undefined;
}

function planOf(random: Seeded): Plan {
	const pieces = random.integer(1, 6);
	const size = random.pick([1, 100, 3_000, 20_000]);
	const who = random.pick(['client', 'upstream', 'both', 'nobody']);
	return {
		pieces,
		size,
		kind: random.pick(['length', 'chunked', 'events']),
		breaksAt: who === 'upstream' || who === 'both' ? random.integer(0, pieces - 1) : undefined,
		leavesAt:
			who === 'client' || who === 'both'
				? random.pick([0, 1, 200, 700, random.integer(1, pieces * size + 600)])
				: undefined,
	};
}

async function rush(count: number, random: Seeded): Promise<readonly string[]> {
	const faults: string[] = [];
	let left = count;
	const caller = async () => {
		while (left > 0) {
			left -= 1;
			const plan = planOf(random);
			const fault = await visit(plan, random);
			if (fault) faults.push(`${fault}: ${JSON.stringify(plan)}`);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, caller));
	return faults;
}

describe('a server that passes requests on', () => {
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

	test(`${visits} requests that are broken off anywhere leave nothing behind`, async () => {
		const random = seeded();
		onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${child.stderr().slice(-2_000)}`));
		// Warm: what the first requests load, and the memory that a rush needs, is no growth.
		expect(await rush(visits / 2, random)).toEqual([]);
		const before = usageOfGroup(child.pid);
		expect(await rush(visits / 2, random)).toEqual([]);

		await eventually('the upstream has nothing more to do', () => underWay === 0);
		// One on which something is under way would stay.
		upstream.closeIdleConnections();
		await eventually('no connection to the upstream is left', () => sockets.size === 0);
		await eventually('no descriptor is left', () => {
			return usageOfGroup(child.pid).descriptors <= before.descriptors + 2;
		});
		const { residentBytes } = usageOfGroup(child.pid);
		expect(residentBytes - before.residentBytes).toBeLessThan(100_000_000);

		// Whatever is in flight would hold the stop up.
		child.signal('SIGTERM');
		const { code, stdout, stderr } = await child.exit;
		expect(code).toBe(0);
		const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('{'));
		const told = new Set(lines.map((line) => (JSON.parse(line) as { msg: string }).msg));
		expect([...told]).toEqual(['the upstream did not finish its answer']);
	});
});
