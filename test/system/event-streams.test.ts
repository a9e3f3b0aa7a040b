import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterAll, afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth, root } from '../support/cli.ts';
import { type RawClient, rawClient } from '../support/client.ts';
import { p99 } from '../support/latency.ts';
import { residentOrZero } from '../support/process-tree.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const streams = 1_000;
const keys = { crowd: 'key-of-the-crowd', busy: 'key-of-the-busy-one', other: 'key-of-the-other' };
/** Makes an update of 128 KB. */
const longPrompt = '\u{1f33f}'.repeat(32_000);

let cwd: string;
let child: Child;
let url: string;
const sockets = new Set<Socket>();

beforeAll(async () => {
	cwd = await temporaryDir('event-streams');
	child = plinth(['serve', '--config', join(root, 'test/support/quick.config.ts')], {
		cwd,
		env: {
			NODE_OPTIONS: `--expose-gc --import ${new URL('../support/collect-on-signal.ts', import.meta.url)}`,
			PORT: '0',
			PLINTH_API_KEYS: Object.entries(keys)
				.map((pair) => pair.join(':'))
				.join(),
			PLINTH_DATA_DIR: join(cwd, 'data'),
			PLINTH_LOG_LEVEL: 'error',
			// The videos never complete, because only the delivery of events is measured.
			PLINTH_ROLE: 'api',
			TEST_JOBS: JSON.stringify({ maxPendingPerTenant: 0 }),
		},
	});
	[, url = ''] = await child.printed(/serving +(http:\S+)/);
	// Warm-up: the modules and the heap that the first requests need do not count as growth.
	await new Listener(keys.other).received((await clientOf('other').create(fields)).id);
	await Promise.all(Array.from({ length: 16 }, () => createOften(600)));
	await Promise.all(Array.from({ length: 100 }, () => new Listener(keys.crowd).opened));
	closeAll();
}, 60_000);

afterEach(closeAll);

afterAll(async () => {
	await child?.kill();
	await removeDir(cwd);
});

const fields = { model: 'quick', prompt: 'x' };

function clientOf(tenant: keyof typeof keys): RawClient {
	return rawClient(url, keys[tenant]);
}

async function createOften(times: number): Promise<void> {
	for (let n = 0; n < times; n += 1) {
		const response = await fetch(`${url}/v1/videos`, { headers: { 'x-api-key': keys.other } });
		await response.text();
	}
}

function closeAll(): void {
	for (const socket of sockets) socket.destroy();
	sockets.clear();
}

/** A connection to the event stream of a tenant. It records when events of each video arrive. */
class Listener {
	readonly opened: Promise<void>;
	readonly socket: Socket;
	readonly #receivedAt = new Map<string, number>();
	#text = '';

	constructor(key: string) {
		const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
		this.socket = socket;
		sockets.add(socket);
		socket.on('error', () => {});
		socket.write(`GET /v1/events HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`);
		this.opened = new Promise((resolve) => socket.once('data', () => resolve()));
		socket.on('data', (bytes) => this.#read(bytes.toString('latin1')));
	}

	/** When an event of the video arrived, in milliseconds; undefined if none has. */
	async received(id: string): Promise<number> {
		await eventually(`an event of ${id} arrives`, () => this.#receivedAt.has(id), 20_000);
		return this.#receivedAt.get(id) ?? Number.NaN;
	}

	#read(text: string): void {
		// A frame may be split across chunks. The id and the part before it are short.
		this.#text = this.#text.slice(-256) + text;
		for (const [, id = ''] of this.#text.matchAll(/"id":"(video_[0-9a-f]{44})"/g)) {
			if (!this.#receivedAt.has(id)) this.#receivedAt.set(id, performance.now());
		}
	}
}

/** Opens streams, a limited number at a time. */
async function openMany(count: number, key: string): Promise<readonly Listener[]> {
	const listeners: Listener[] = [];
	while (listeners.length < count) {
		const some = Array.from({ length: 50 }, () => new Listener(key));
		await Promise.all(some.map(({ opened }) => opened));
		listeners.push(...some);
	}
	return listeners;
}

test('1,000 more idle streams take at most 25 KB each, and all receive an update within a second', async () => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	// These streams fill the free memory of the heap. The next ones need new memory, which is measured.
	await openMany(streams, keys.busy);
	const before = await heldMemory();
	const listeners = await openMany(streams, keys.crowd);
	const each = ((await heldMemory()) - before) / streams / 1_024;
	const began = performance.now();
	const { id } = await clientOf('crowd').create(fields);
	const delays = await Promise.all(listeners.map((listener) => listener.received(id)));
	const last = Math.max(...delays) - began;
	console.info(`${each.toFixed(1)} KB a stream; the last received after ${last.toFixed(0)} ms.`);
	expect(each).toBeLessThan(25);
	expect(last).toBeLessThan(1_000);
});

let collections = 0;

/** The resident bytes of the server, measured after a garbage collection. Garbage would make the growth random. */
async function heldMemory(): Promise<number> {
	process.kill(child.pid, 'SIGUSR2');
	collections += 1;
	await child.printed(new RegExp(`collected ${collections}\n`));
	return residentOrZero(child.pid);
}

test('a client that stops reading is disconnected within 30 seconds, and other clients get their updates', async () => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const other = new Listener(keys.other);
	await other.opened;

	// One client for all requests, because each loads the OpenAPI document at its first request.
	const client = clientOf('other');
	/** The delays of 30 updates of another tenant, while one tenant constantly has large updates. */
	const delays = async (): Promise<number[]> => {
		const times: number[] = [];
		while (times.length < 30) {
			const began = performance.now();
			const { id } = await client.create(fields);
			times.push((await other.received(id)) - began);
		}
		return times;
	};
	const reader = new Listener(keys.busy);
	await reader.opened;
	const busy = busyTenant();
	const alone: number[] = [];
	while (alone.length < 900) alone.push(...(await delays()));
	expect(isHeld(reader.socket)).toBe(true);
	reader.socket.pause();
	const began = performance.now();
	const beside: number[] = [];
	while (isHeld(reader.socket) && performance.now() - began < 30_000) {
		beside.push(...(await delays()));
	}
	const dropped = performance.now() - began;
	while (alone.length < 1_800) alone.push(...(await delays()));
	const p99Alone = p99(alone);
	// By the last ones, the buffers of the socket and the kernel are full.
	const p99Beside = p99(beside.slice(-1_800));
	await busy.stop();
	console.info(
		`p99 ${p99Alone.toFixed(1)} ms, beside a reader that stopped ${p99Beside.toFixed(1)} ms; it was dropped after ${(dropped / 1_000).toFixed(1)} s.`,
	);
	expect(dropped).toBeLessThan(30_000);
	expect(p99Beside).toBeLessThan(Math.max(p99Alone * 1.1, p99Alone + 5));
});

/** Whether the server's end of a connection is open. A client that does not read cannot notice the end. */
function isHeld({ localPort = 0 }: Socket): boolean {
	const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
	const established = '01';
	return readFileSync('/proc/net/tcp', 'utf8')
		.split('\n')
		.map((line) => line.trim().split(/ +/))
		.some(
			([, local = '', remote = '', state]) =>
				local.endsWith(`:${hex(Number(new URL(url).port))}`) &&
				remote.endsWith(`:${hex(localPort)}`) &&
				state === established,
		);
}

/** Creates videos with long prompts, one after the other, until stopped. */
function busyTenant(): { stop(): Promise<void> } {
	const client = clientOf('busy');
	let isOver = false;
	const running = (async () => {
		while (!isOver) {
			const { id } = await client.create({ ...fields, prompt: longPrompt });
			await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
			await delay(20);
		}
	})();
	// The error is reported by `stop`, which may be called later.
	running.catch(() => {});
	return {
		stop() {
			isOver = true;
			return running;
		},
	};
}
