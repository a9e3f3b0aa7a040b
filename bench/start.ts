import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import type { Bench, Row } from './harness/bench.ts';
import { inTurns, median } from './harness/rounds.ts';
import { keyHeaders } from './harness/server.ts';

const rounds = 7;
const main = join(import.meta.dirname, '../cli/src/main.ts');
const subjects = join(import.meta.dirname, 'subjects');

/**
 * From the spawn to the first 200, with a warm compile cache and an existing data directory. The goal is 350 ms where
 * Koa takes 84.
 */
export const start: Bench = {
	name: 'start',
	about: '`plinth serve` from its spawn to the first 200 on /v1/models, beside bare node:http and Koa',
	needs: [],
	async run() {
		const dir = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
		const sides = {
			ours: () => startOnce([main, 'serve'], '/v1/models', dir),
			koa: () => startOnce([join(subjects, 'koa.ts')], '/', dir),
			bare: () => startOnce([join(subjects, 'hello.ts')], '/', dir),
		};
		try {
			// The first starts create the data directory and fill the compile cache.
			for (const side of Object.values(sides)) await side();
			const times = await inTurns(rounds, sides);
			const row = (name: string, of: (values: readonly number[]) => number): Row => ({
				name,
				unit: 'ms to the first 200',
				ours: of(times.ours),
				reference: { name: 'Koa hello', value: of(times.koa) },
				goal: { of: 'ratio', bound: 'at most', limit: 4.2 },
				rounds: { ours: times.ours, reference: times.koa },
				note: `node:http hello: ${of(times.bare).toFixed(0)} ms`,
			});
			return [row('median', median), row('least', (values) => Math.min(...values))];
		} finally {
			await rm(dir, { recursive: true, force: true });
		}
	},
};

/** Milliseconds from the spawn to the first 200, with the data and the compile cache of a folder. */
export async function startOnce(
	script: readonly string[],
	path: string,
	dir: string,
	env: Readonly<Record<string, string>> = {},
): Promise<number> {
	const port = await freePort();
	const began = performance.now();
	const child = spawn(process.execPath, ['--conditions=@plinth/source', ...script], {
		stdio: 'ignore',
		env: {
			PATH: process.env.PATH ?? '',
			HOME: process.env.HOME ?? '',
			PORT: String(port),
			PLINTH_DATA_DIR: join(dir, 'data'),
			PLINTH_API_KEYS: keyHeaders['x-api-key'],
			NODE_COMPILE_CACHE: join(dir, 'cache'),
			...env,
		},
	});
	const ended = once(child, 'exit');
	try {
		while (!(await answers(port, path))) {
			if (child.exitCode !== null) throw new Error(`${script.at(0)} ended with code ${child.exitCode}.`);
			await new Promise((resolve) => setTimeout(resolve, 2));
		}
		return performance.now() - began;
	} finally {
		// A graceful stop, because Node writes its compile cache when it exits.
		child.kill('SIGTERM');
		await ended;
	}
}

function answers(port: number, path: string): Promise<boolean> {
	return fetch(`http://127.0.0.1:${port}${path}`, { headers: keyHeaders }).then(
		async (response) => {
			await response.arrayBuffer();
			return response.status === 200;
		},
		() => false,
	);
}
