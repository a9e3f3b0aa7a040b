import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Child, type Exit, isGroupAlive, plinth, root } from '../../test/support/cli.ts';
import { childrenOf } from '../../test/support/process-tree.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';

const timeout = 60_000;
const children: Child[] = [];
let cwd: string;

beforeEach(async () => {
	cwd = await temporaryDir('cli-processes');
});

afterEach(async () => {
	await Promise.all(children.splice(0).map((child) => child.kill()));
	await removeDir(cwd);
});

const env = { PORT: '0', PLINTH_LOG_LEVEL: 'info', PLINTH_API_KEYS: 'me:secret-of-the-tests' };

/** Starts `plinth serve` in three processes, and waits until all of them are ready. */
async function serveInThree(): Promise<{ child: Child; url: string }> {
	const child = plinth(['serve', '--processes', '3'], { cwd, env });
	children.push(child);
	const [, url = ''] = await child.printed(/serving +(http:\S+)/);
	await eventually('all processes are ready', () => readyLines(child) === 3, 20_000);
	return { child, url };
}

const readyLines = (child: Child) => child.stderr().split('"msg":"ready"').length - 1;

/** The exit of `plinth serve` in two processes that cannot start. */
function refused(args: readonly string[] = [], settings: Record<string, string> = {}): Promise<Exit> {
	const child = plinth(['serve', '--processes=2', ...args], { cwd, env: { ...env, ...settings } });
	children.push(child);
	return child.exit;
}

/** The status of a request on a new connection, which any of the processes may accept. */
async function statusOf(url: string): Promise<number> {
	const headers = { 'x-api-key': 'secret-of-the-tests', connection: 'close' };
	const answer = await fetch(`${url}/v1/models`, { headers });
	await answer.arrayBuffer();
	return answer.status;
}

describe('plinth serve --processes', () => {
	test('serves in the given number of processes, one of which prints the address', { timeout }, async () => {
		const { child, url } = await serveInThree();
		expect(childrenOf(child.pid)).toHaveLength(3);
		expect(child.stdout().match(/serving/g)).toHaveLength(1);
		await Promise.all(Array.from({ length: 30 }, () => statusOf(url)));
		child.signal('SIGTERM');
		const { code, stderr } = await child.exit;
		expect([code, stderr.split('"msg":"stopped"').length - 1]).toEqual([0, 3]);
		expect(isGroupAlive(child.pid)).toBe(false);
	});

	test('stops cleanly while further processes are starting', { timeout }, async () => {
		const child = plinth(['serve', '--processes', '3'], { cwd, env });
		children.push(child);
		await eventually('the first process is ready', () => readyLines(child) > 0, 20_000);
		child.signal('SIGTERM');
		const { code, stderr } = await child.exit;
		expect([code, stderr]).toEqual([0, expect.not.stringContaining('the stop failed')]);
	});

	test('gives each process a part of the connections that arrive together', { timeout }, async () => {
		const { child, url } = await serveInThree();
		const counts = () => childrenOf(child.pid).map((pid) => readdirSync(`/proc/${pid}/fd`).length);
		const before = counts();
		const { hostname: host, port } = new URL(url);
		const sockets = Array.from({ length: 90 }, () => connect({ host, port: Number(port) }));
		onTestFinished(() => {
			for (const socket of sockets) socket.destroy();
		});
		await Promise.all(sockets.map((socket) => once(socket, 'connect')));
		const accepted = () => counts().map((count, index) => count - (before[index] ?? 0));
		const all = () => accepted().reduce((sum, count) => sum + count) >= 90;
		await eventually('all are accepted', all);
		// About 30 each. Fewer than 10 happen once in 100,000 runs.
		expect(Math.min(...accepted())).toBeGreaterThanOrEqual(10);
	});

	test('refuses the port of another server with several processes', { timeout }, async () => {
		const { url } = await serveInThree();
		const { code, stderr } = await refused([], { PORT: new URL(url).port });
		expect([code, stderr.match(/is taken/g)?.length]).toEqual([1, 1]);
		expect(await statusOf(url)).toBe(200);
	});

	test('replaces a process that ends, while the others serve', { timeout }, async () => {
		const { child, url } = await serveInThree();
		const [, victim = 0] = childrenOf(child.pid);
		process.kill(victim, 'SIGKILL');
		await eventually('the end is noticed', () => child.stderr().includes(`process ${victim} has ended with SIGKILL`));
		expect(await Promise.all(Array.from({ length: 9 }, () => statusOf(url)))).toEqual(Array(9).fill(200));
		await eventually('there are three again', () => readyLines(child) === 4, 20_000);
		expect(childrenOf(child.pid)).toHaveLength(3);
	});

	test('leaves no process behind when the first one is killed', { timeout }, async () => {
		const { child } = await serveInThree();
		child.signal('SIGKILL');
		await eventually('all have ended', () => !isGroupAlive(child.pid), 20_000);
	});

	test('ends immediately at a second signal', { timeout }, async () => {
		const { child } = await serveInThree();
		child.signal('SIGTERM');
		await eventually('it stops', () => child.stderr().includes('finishing running work'));
		child.signal('SIGTERM');
		expect((await child.exit).code).toBe(1);
		await eventually('all have ended', () => !isGroupAlive(child.pid));
	});

	test('reports a problem of the config once, and exits 1', { timeout }, async () => {
		const { code, stderr } = await refused([], { PLINTH_API_KEYS: 'me:short' });
		expect([code, stderr.match(/Plinth cannot start/g)?.length]).toEqual([1, 1]);
	});

	test('reports a port that is in use once, and exits 1', { timeout }, async () => {
		const other = await listen();
		const { port } = other.address() as AddressInfo;
		const { code, stderr } = await refused([], { PORT: String(port) });
		other.close();
		expect([code, stderr.match(/is taken/g)?.length]).toEqual([1, 1]);
	});

	test.each([
		['stores in the memory of one process', join(root, 'examples/yaml-deployment/plinth.config.yaml'), '(memoryJobs)'],
		['a group of models', undefined, 'The group card limits only the models of one process'],
	])('rejects %s', { timeout }, async (_what, given, message) => {
		const file = given ?? join(cwd, 'groups.yaml');
		const text = 'extends: plinth:embedded\ngroups: { card: { exclusive: true, models: [builtin-video] } }\n';
		if (!given) await writeFile(file, text);
		const { code, stderr } = await refused(['--config', file]);
		expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
	});

	test.each(['0', 'many', '1.5', '-1'])('rejects %s processes', { timeout }, async (count) => {
		const { code, stderr } = await refused([`--processes=${count}`]);
		expect([code, stderr]).toEqual([1, expect.stringContaining(`is "${count}". Use a number from 1 to 256, or auto.`)]);
	});
});

test('a server whose parent is a process manager with a channel stops on SIGINT', { timeout }, async () => {
	const options = { cwd, env: { ...env, PATH: process.env.PATH ?? '' }, silent: true };
	const execArgv = ['--conditions=@plinth/source'];
	const child = fork(join(root, 'cli/src/main.ts'), ['serve'], { ...options, execArgv });
	onTestFinished(() => void child.kill('SIGKILL'));
	let printed = '';
	child.stdout?.on('data', (text) => {
		printed += text;
	});
	await eventually('it serves', () => printed.includes('serving'), 20_000);
	const exited = once(child, 'exit');
	child.kill('SIGINT');
	expect(await exited).toEqual([0, null]);
});

function listen(): Promise<Server> {
	const server = createServer();
	return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
