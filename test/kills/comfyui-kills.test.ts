import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth, root, startNode } from '../support/cli.ts';
import { type RawClient, rawClient } from '../support/client.ts';
import { seeded } from '../support/seeded.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';
import { printTable } from '../support/table.ts';

const rounds = process.env.PLINTH_TEST_LONG === '1' ? 500 : 50;
const key = 'key-of-the-kills';

let dir: string;
let logFile: string;
const children: Child[] = [];

beforeEach(async () => {
	dir = await temporaryDir('comfyui-kills');
	logFile = join(dir, 'ledger');
	writeFileSync(logFile, '');
	mkdirSync(join(dir, 'temp'));
});

afterEach(async () => {
	await Promise.all(children.map((child) => child.kill()));
	await removeDir(dir);
});

async function startEngine(port = '0'): Promise<{ child: Child; url: string }> {
	const env = { COMFY_PORT: port, COMFY_LEDGER: logFile };
	const child = startNode([join(root, 'test/support/comfyui-engine.ts')], { cwd: dir, env });
	children.push(child);
	const [, url = ''] = await child.printed(/engine at (\S+) /);
	return { child, url };
}

async function startPlinth(engine: string): Promise<{ child: Child; client: RawClient }> {
	const child = plinth(['serve', '--config', join(root, 'test/support/comfyui.config.ts')], {
		cwd: dir,
		env: {
			...{ PORT: '0', COMFY_URL: engine, PLINTH_API_KEYS: `kills:${key}`, PLINTH_LOG_LEVEL: 'warn' },
			...{ PLINTH_DATA_DIR: join(dir, 'data'), TMPDIR: join(dir, 'temp') },
		},
	});
	children.push(child);
	const [, url = ''] = await child.printed(/serving +(http:\S+)/);
	return { child, client: rawClient(url, key) };
}

/** Ids of the prompts that the engine runs or has queued. */
async function busy(url: string): Promise<readonly string[]> {
	const queue = (await (await fetch(`${url}/queue`)).json()) as Record<string, readonly (readonly unknown[])[]>;
	return [...(queue.queue_running ?? []), ...(queue.queue_pending ?? [])].map((item) => `${item[1]}`);
}

test(`${rounds} rounds of SIGKILL of the server or of ComfyUI lose no job and render none twice`, async () => {
	const random = seeded();
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${children.map((one) => one.stderr()).join('')}`));
	let engine = await startEngine();
	const { port } = new URL(engine.url);
	let server = await startPlinth(engine.url);
	const jobs: string[] = [];
	/** Jobs that a restart of the engine may have interrupted. A second restart while they run makes them fail. */
	let interrupted: readonly string[] = [];
	const kills = { plinth: 0, engine: 0, cancelled: 0 };
	const isDone = async (id: string) => {
		const { status, error } = await server.client.json<{ status: string; error?: object }>(`/v1/videos/${id}`);
		expect(error ?? undefined).toBeUndefined();
		return status === 'completed';
	};
	const make = async (prompt: string) => {
		const { id } = await server.client.create({ model: 'wan', prompt, seconds: '2', size: '640x480' });
		return id;
	};
	for (let round = 0; round < rounds; round++) {
		if (round % 10 === 5) {
			await cancelOne(server.client, engine.url, make);
			kills.cancelled += 1;
		}
		// No job may use up its five attempts.
		for (const id of jobs.slice(-6, -3)) await eventually('an earlier job goes on', () => isDone(id), 20_000);
		jobs.push(await make(`kite ${round}`));
		await delay(random.integer(0, 250));
		if (random.chance(0.35)) {
			kills.plinth += 1;
			await server.child.kill();
			server = await startPlinth(engine.url);
			continue;
		}
		for (const id of interrupted) await eventually('a job goes on after a restart', () => isDone(id), 20_000);
		kills.engine += 1;
		await engine.child.kill();
		interrupted = jobs.slice(-8);
		engine = await startEngine(port);
	}
	const statuses = new Map<string, string>();
	await eventually(
		'all jobs have ended',
		async () => {
			for (const id of jobs.filter((one) => !/^(?:completed|failed)/.test(statuses.get(one) ?? ''))) {
				const { status, error } = await server.client.json<{ status: string; error?: { message: string } }>(
					`/v1/videos/${id}`,
				);
				statuses.set(id, error ? `${status}: ${error.message}` : status);
			}
			return [...statuses.values()].every((status) => /^(?:completed|failed)/.test(status));
		},
		30_000,
	);
	await eventually('the engine has no prompt', async () => (await busy(engine.url)).length === 0);
	const lines = readFileSync(logFile, 'utf8').split('\n').filter(Boolean);
	const twice = lines.length - new Set(lines).size;
	const rendered = new Set(lines.map((line) => line.split(' ')[1])).size;
	printTable(`kills of Plinth and ComfyUI, seed ${random.seed}`, {
		rounds,
		...kills,
		jobs: jobs.length,
		rendered,
		twice,
	});
	expect([...statuses.values()].filter((status) => status !== 'completed')).toEqual([]);
	expect(twice).toBe(0);
});

/** A job that would never end is cancelled, and the engine no longer has its prompt. */
async function cancelOne(client: RawClient, engine: string, make: (prompt: string) => Promise<string>): Promise<void> {
	const before = new Set(await busy(engine));
	const id = await make('endless');
	await eventually('it is queued', async () => (await busy(engine)).some((one) => !before.has(one)), 20_000);
	const known = new Set(await busy(engine));
	await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
	await eventually(
		'the engine no longer has the prompt',
		async () => {
			const left = await busy(engine);
			return left.length < known.size && left.every((one) => known.has(one));
		},
		20_000,
	);
}
