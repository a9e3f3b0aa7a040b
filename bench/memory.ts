import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../test/support/free-port.ts';
import { usageOfGroup } from '../test/support/process-tree.ts';
import type { Bench, Row } from './harness/bench.ts';
import { killOnExit } from './harness/child.ts';
import { MixedLoad } from './harness/mixed-load.ts';
import { median } from './harness/rounds.ts';
import { keyHeaders } from './harness/server.ts';

const main = join(import.meta.dirname, '../cli/dist/main.js');
const minutes = Number(process.env.PLINTH_BENCH_MINUTES ?? 10);
const sampleMs = 5_000;
/** After this time, processes of the start have ended or are idle. */
const restMs = 20_000;
const megabyte = 1_000_000;

/** Resident memory of `plinth serve` and its processes under a load of every capability. */
export const memory: Bench = {
	name: 'memory',
	about: `resident memory of \`plinth serve\` and its processes over ${minutes} minutes of mixed requests`,
	needs: [],
	isPartial: minutes < 10,
	async run() {
		// The built command, as it is published: type stripping of sources needs additional memory.
		execFileSync('npm', ['run', '-s', 'build'], { stdio: 'inherit' });
		const dir = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
		const server = await startServe(dir);
		try {
			await delay(restMs);
			const idle = usageOfGroup(server.pid).residentBytes / megabyte;
			const load = new MixedLoad(server.url);
			await load.prepare();
			load.start();
			const curve: number[] = [];
			const shared: number[] = [];
			for (const end = performance.now() + minutes * 60_000; performance.now() < end; ) {
				await delay(sampleMs);
				const { residentBytes, proportionalBytes } = usageOfGroup(server.pid);
				curve.push(Math.round(residentBytes / megabyte));
				shared.push(Math.round(proportionalBytes / megabyte));
			}
			const note = await load.stop();
			return rowsOf(idle, curve, shared, note);
		} finally {
			await server.stop();
			await rm(dir, { recursive: true, force: true });
		}
	},
};

function rowsOf(idle: number, curve: readonly number[], shared: readonly number[], note: string): Row[] {
	const perMinute = 60_000 / sampleMs;
	const lastMinute = curve.slice(-perMinute);
	return [
		{ name: 'fresh and idle', unit: 'MB', ours: idle, goal: { of: 'value', bound: 'at most', limit: 150 } },
		{
			name: `after ${minutes} minutes`,
			unit: 'MB, the median of the last one',
			ours: median(lastMinute),
			goal: { of: 'value', bound: 'at most', limit: 450 },
			rounds: { ours: curve },
			note,
		},
		{
			name: 'the same, shared pages once',
			unit: 'MB (PSS), the median of the last one',
			ours: median(shared.slice(-perMinute)),
			rounds: { ours: shared },
		},
		{
			name: 'growth in the second half',
			unit: 'MB per minute',
			ours: slope(curve.slice(curve.length / 2)) * perMinute,
			goal: { of: 'value', bound: 'at most', limit: 1 },
		},
	];
}

/** The slope of the straight line through equidistant values, by least squares. */
function slope(values: readonly number[]): number {
	const middle = (values.length - 1) / 2;
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	let [up, down] = [0, 0];
	for (const [at, value] of values.entries()) {
		up += (at - middle) * (value - mean);
		down += (at - middle) ** 2;
	}
	return up / down;
}

/** Starts the command as a user does, in its own process group. */
async function startServe(dir: string) {
	const port = await freePort();
	const { PATH = '', HOME = '' } = process.env;
	const child = spawn(process.execPath, [main, 'serve'], {
		stdio: 'ignore',
		detached: true,
		env: {
			PATH,
			HOME,
			PORT: String(port),
			PLINTH_DATA_DIR: join(dir, 'data'),
			PLINTH_API_KEYS: keyHeaders['x-api-key'],
			NODE_COMPILE_CACHE: join(dir, 'cache'),
		},
	});
	killOnExit(child);
	const ended = once(child, 'exit');
	const url = `http://127.0.0.1:${port}`;
	while (!(await isReady(url))) {
		if (child.exitCode !== null) throw new Error(`plinth serve ended with code ${child.exitCode}.`);
		await delay(50);
	}
	return {
		pid: child.pid as number,
		url,
		async stop() {
			child.kill('SIGTERM');
			await ended;
		},
	};
}

async function isReady(url: string): Promise<boolean> {
	const response = await fetch(`${url}/v1/models`, { headers: keyHeaders }).catch(() => undefined);
	await response?.arrayBuffer();
	return response?.status === 200;
}
