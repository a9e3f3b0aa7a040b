import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Child, plinth, root, startNode } from '../support/cli.ts';
import { rawClient } from '../support/client.ts';
import { percentile, probe } from '../support/latency.ts';
import { type Usage, usageOfGroup } from '../support/process-tree.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const megabyte = 1_048_576;
const key = 'key-of-the-tests';
const otherKey = 'another-key-of-the-tests';
let cwd: string;
let child: Child;
/** A bare server without clients. Its response times show the load of the machine. */
let control: Child;
let controlUrl: string;
let url: string;
let before: Usage;
let content: string;
const bareServer = `
	import { createServer } from 'node:http';
	const server = createServer((req, res) => res.end('{"status":"ok"}'));
	server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;
const sockets = new Set<Socket>();

beforeAll(async () => {
	cwd = await temporaryDir('slow');
	child = plinth(['serve', '--config', join(root, 'test/fixtures/large-video/plinth.config.ts')], {
		cwd,
		env: { PORT: '0', PLINTH_API_KEYS: `me:${key},other:${otherKey}`, PLINTH_LOG_LEVEL: 'error' },
	});
	[, url = ''] = await child.printed(/serving +(http:\S+)/);
	control = startNode(['--input-type=module', '--eval', bareServer], { cwd });
	[controlUrl = ''] = await control.printed(/http:\S+/);
	// Warm-up: modules that the first requests load do not count as growth.
	const client = rawClient(url, key);
	const { id } = await client.create({ model: 'large', prompt: 'x' });
	await client.finished(id);
	content = `/v1/videos/${id}/content`;
	await client.bytes(content);
	await client.send('/v1/nothing');
	await client.post('/api/attachments/parse', { files: [{ url: 'data:,warm' }] });
	before = usageOfGroup(child.pid);
});

afterEach(() => {
	for (const socket of sockets) socket.destroy();
	sockets.clear();
});

afterAll(async () => {
	await Promise.all([child?.kill(), control?.kill()]);
	await removeDir(cwd);
});

/** Opens connections that send `opening` and then `drip` every second. */
async function attack(count: number, opening: string, drip = ''): Promise<void> {
	const { port } = new URL(url);
	for (let i = 0; i < count; i++) {
		const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
		socket.on('error', () => {});
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
		await once(socket, 'connect');
		socket.write(opening);
		if (drip === '') continue;
		const timer = setInterval(() => socket.write(drip), 1_000);
		socket.once('close', () => clearInterval(timer));
	}
}

/** The number of other open connections of the server. */
function opened(): number {
	return usageOfGroup(child.pid).descriptors - before.descriptors;
}

/** While `task` runs the server answers other clients within 100 ms. Afterwards its memory is as small as before. */
async function harmless(task: () => Promise<void>): Promise<void> {
	const probes = [probe(`${url}/healthz`), probe(controlUrl)];
	let peak = 0;
	const watch = setInterval(() => {
		peak = Math.max(peak, usageOfGroup(child.pid).residentBytes);
	}, 250);
	await task().finally(() => clearInterval(watch));
	const times = await Promise.all(probes.map((running) => running.stop()));
	const [p99 = Number.NaN, bare = Number.NaN] = times.map((sorted) => percentile(sorted, 0.99));
	const growthMb = (peak - before.residentBytes) / megabyte;
	console.log(
		`healthz p99 ${p99.toFixed(1)} ms (unattacked bare server ${bare.toFixed(1)} ms), grown by ${growthMb.toFixed(0)} MB`,
	);
	expect(p99).toBeLessThan(Math.max(100, 3 * bare));
	expect(growthMb).toBeLessThan(256);
}

/** The server closes every connection and keeps running. */
async function allClosed(withinMs: number): Promise<void> {
	const began = performance.now();
	// Counted on the server: a client that does not read cannot notice the end.
	await eventually('all are open', () => opened() > 150);
	await eventually('all are closed', () => opened() <= 10, withinMs);
	console.log(`all closed after ${((performance.now() - began) / 1000).toFixed(1)} s`);
	expect((await fetch(`${url}/healthz`)).status).toBe(200);
}

const post = (headers: string) => `POST /v1/videos HTTP/1.1\r\nhost: x\r\n${headers}\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const json = 'content-type: application/json\r\ncontent-length: 1000000\r\n';
const form = 'content-type: multipart/form-data; boundary=b\r\ntransfer-encoding: chunked\r\n';
const part = '--b\r\ncontent-disposition: form-data; name="input_reference"; filename="f"\r\n\r\n';

test('1,600 connections that send slowly or not at all are closed within 20 seconds', () =>
	harmless(async () => {
		await Promise.all([
			attack(400, 'GET /healthz HTTP/1.1\r\nhost: x\r\n', 'x-a: b\r\n'),
			attack(400, ''),
			attack(400, post(json), 'x'),
			attack(200, `${post(`x-api-key: ${key}\r\n${json}`)}{"a":"`, 'x'),
			attack(200, `${post(`x-api-key: ${otherKey}\r\n${form}`)}${chunk(part)}`, chunk('x'.repeat(1_000))),
		]);
		await allClosed(20_000);
	}));

test('200 connections that do not read their responses are closed within 40 seconds', () =>
	harmless(async () => {
		// Without a listener for its data a socket reads nothing beyond its buffers.
		await attack(200, `GET ${content} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`);
		await allClosed(40_000);
	}));
