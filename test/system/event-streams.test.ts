import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterAll, afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth, root } from '../support/cli.ts';
import { type RawClient, rawClient } from '../support/client.ts';
import { percentile } from '../support/latency.ts';
import { residentOrNone } from '../support/process-tree.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const streams = 1_000;
const keys = { crowd: 'key-of-the-crowd', busy: 'key-of-the-busy-one', other: 'key-of-the-other' };
/** An update with it takes 128 KB. */
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
			PORT: '0',
			PLINTH_API_KEYS: Object.entries(keys)
				.map((pair) => pair.join(':'))
				.join(),
			PLINTH_DATA_DIR: join(cwd, 'data'),
			PLINTH_LOG_LEVEL: 'error',
			// Videos only wait: what is measured is how their events travel.
			PLINTH_ROLE: 'api',
			TEST_JOBS: JSON.stringify({ maxPendingPerTenant: 0 }),
		},
	});
	[, url = ''] = await child.printed(/serving +(http:\S+)/);
	// Warm: what is loaded by the first requests, and the heap that many of them need, is no growth.
	await new Listener(keys.other).hears((await clientOf('other').create(fields)).id);
	await Promise.all(Array.from({ length: 16 }, () => askOften(600)));
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

async function askOften(times: number): Promise<void> {
	for (let n = 0; n < times; n += 1) {
		const answer = await fetch(`${url}/v1/videos`, { headers: { 'x-api-key': keys.other } });
		await answer.text();
	}
}

function closeAll(): void {
	for (const socket of sockets) socket.destroy();
	sockets.clear();
}

/** A connection that follows all jobs of a tenant, and notes when it has heard of which. */
class Listener {
	readonly opened: Promise<void>;
	readonly socket: Socket;
	readonly #heard = new Map<string, number>();
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

	/** When it heard of a video, once it has; milliseconds. */
	async hears(id: string): Promise<number> {
		await eventually(`${id} is heard of`, () => this.#heard.has(id), 20_000);
		return this.#heard.get(id) ?? Number.NaN;
	}

	#read(text: string): void {
		// A frame may come in pieces; an id and what is before it are short.
		this.#text = this.#text.slice(-256) + text;
		for (const [, id = ''] of this.#text.matchAll(/"id":"(video_[0-9a-f]{44})"/g)) {
			if (!this.#heard.has(id)) this.#heard.set(id, performance.now());
		}
	}
}

/** Opens streams, some at a time. */
async function openMany(count: number, key: string): Promise<readonly Listener[]> {
	const listeners: Listener[] = [];
	while (listeners.length < count) {
		const some = Array.from({ length: 50 }, () => new Listener(key));
		await Promise.all(some.map(({ opened }) => opened));
		listeners.push(...some);
	}
	return listeners;
}

test('1,000 idle streams cost at most 25 KB each, and an update is heard by all within a second', async () => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const before = residentOrNone(child.pid);
	const listeners = await openMany(streams, keys.crowd);
	const each = (residentOrNone(child.pid) - before) / streams / 1_024;
	const began = performance.now();
	const { id } = await clientOf('crowd').create(fields);
	const heard = await Promise.all(listeners.map((listener) => listener.hears(id)));
	const last = Math.max(...heard) - began;
	console.info(`${each.toFixed(1)} KB a stream; the last heard after ${last.toFixed(0)} ms.`);
	expect(each).toBeLessThan(25);
	expect(last).toBeLessThan(1_000);
});

test('a reader that stops is dropped within 30 seconds, and costs no other its updates', async () => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const other = new Listener(keys.other);
	await other.opened;

	/** What 99 of 100 updates of another tenant take, while one tenant has large ones all the time. */
	const p99 = async (): Promise<number> => {
		const client = clientOf('other');
		const times: number[] = [];
		for (let n = 0; n < 60; n += 1) {
			const began = performance.now();
			const { id } = await client.create(fields);
			times.push((await other.hears(id)) - began);
		}
		return percentile(
			times.toSorted((a, b) => a - b),
			0.99,
		);
	};
	const reader = new Listener(keys.busy);
	await reader.opened;
	const busy = busyTenant();
	// The best of some rounds says what the machine can; other work on it is then no part of what is compared.
	let alone = Math.min(await p99(), await p99());
	expect(isHeld(reader.socket)).toBe(true);
	reader.socket.pause();
	const began = performance.now();
	const besides: number[] = [];
	while (isHeld(reader.socket) && performance.now() - began < 30_000) {
		besides.push(await p99());
	}
	const dropped = performance.now() - began;
	alone = Math.min(alone, await p99());
	// As many rounds; by the last of them what the socket and the kernel hold is full.
	const beside = Math.min(...besides.slice(-3));
	await busy.stop();
	console.info(
		`p99 ${alone.toFixed(1)} ms, beside a reader that stopped ${beside.toFixed(1)} ms; it was dropped after ${(dropped / 1_000).toFixed(1)} s.`,
	);
	expect(dropped).toBeLessThan(30_000);
	expect(beside).toBeLessThan(Math.max(alone * 1.1, alone + 5));
});

/** Whether the server has its end of a connection open: a client that does not read learns of nothing. */
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

/** Creates videos with long prompts, one after the other, until it is stopped. */
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
	// It is looked at by `stop`, which may come later than a failure.
	running.catch(() => {});
	return {
		stop() {
			isOver = true;
			return running;
		},
	};
}
