import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Child, plinth } from '../../test/support/cli.ts';
import { rawClient } from '../../test/support/client.ts';
import { plinthHere } from '../../test/support/command.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';

const timeout = 30_000;
const children: Child[] = [];
let cwd: string;

beforeEach(async () => {
	cwd = await temporaryDir('cli-serve');
});

afterEach(async () => {
	await Promise.all(children.splice(0).map((child) => child.kill()));
	await removeDir(cwd);
});

/** Starts `plinth serve` on a free port, with its data in `.plinth` in the folder of the test. */
function serve(env: Record<string, string> = {}, args: readonly string[] = []): Child {
	const child = plinth(['serve', ...args], {
		cwd,
		env: { PORT: '0', PLINTH_LOG_LEVEL: 'silent', ...env },
	});
	children.push(child);
	return child;
}

async function addressOf(child: Child): Promise<string> {
	return (await child.printed(/serving +(http:\S+)[\s\S]*try +curl/))[1] ?? '';
}

describe('plinth serve', () => {
	test('prints a new key once, and the key works after a restart', { timeout }, async () => {
		const first = serve();
		await addressOf(first);
		const [key = ''] = (await first.printed(/plinth_live_\S+/)) as string[];
		first.signal('SIGTERM');
		expect((await first.exit).code).toBe(0);

		const second = serve();
		const url = await addressOf(second);
		expect(second.stdout()).not.toContain('plinth_live_');
		const command = "npm run plinth -- keys create --tenant default --scopes '*'";
		expect(second.stdout()).toContain(`created earlier; create another: ${command}\n`);
		expect((await rawClient(url, key).send('/v1/models')).status).toBe(200);
	});

	test('prints a banner with the served routes and models', { timeout }, async () => {
		const child = serve({ PLINTH_API_KEYS: 'me:secret-of-the-tests' });
		const url = await addressOf(child);
		for (const fact of [`${url}/openapi.json`, 'builtin-video: ', 'video: ', `data         ${cwd}/.plinth`]) {
			expect(child.stdout()).toContain(fact);
		}
		expect(child.stdout()).toMatch(/transcription: needs a model of the kind transcription\n/);
		expect(child.stdout()).not.toMatch(/\d+ more route/);
		expect(child.stdout()).not.toContain('secret-of-the-tests');
	});

	test.runIf(process.platform === 'linux')(
		'limits the memory of glibc, unless the variables are set',
		{ timeout },
		async () => {
			for (const [env, value] of [
				[{}, '2'],
				[{ MALLOC_ARENA_MAX: '7' }, '7'],
			] as const) {
				const child = serve({ PLINTH_API_KEYS: 'me:secret-of-the-tests', ...env });
				await addressOf(child);
				const environment = await readFile(`/proc/${child.pid}/environ`, 'utf8');
				expect(environment.split('\0')).toContain(`MALLOC_ARENA_MAX=${value}`);
				expect(environment.includes('MALLOC_MMAP_THRESHOLD_=')).toBe(value === '2');
			}
		},
	);

	test('warns at its start that there is no key, with a remedy', { timeout }, async () => {
		const file = join(import.meta.dirname, 'fixtures/keyless/plinth.config.yaml');
		const child = serve({}, ['--port', '0', '--config', file]);
		await addressOf(child);
		expect(child.stdout()).toMatch(/key +none is valid, .*\n +name some in the options of apiKeys/);
	});

	test('drains on SIGTERM and exits 0', { timeout }, async () => {
		const child = serve({ PLINTH_API_KEYS: 'me:secret-of-the-tests' });
		const client = rawClient(await addressOf(child), 'secret-of-the-tests');
		const answer = await client.post('/v1/audio/speech', {
			model: 'builtin-speech',
			voice: 'nova',
			input: 'This sentence is under way. '.repeat(40),
			response_format: 'pcm',
		});
		child.signal('SIGTERM');
		// Forty sentences of more than a second each; a stream that is cut would reject.
		expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(40 * 48_000);
		await expect(child.exit).resolves.toMatchObject({ code: 0, signal: null });
	});

	test('ends immediately at the second signal', { timeout }, async () => {
		const child = serve();
		await addressOf(child);
		child.signal('SIGTERM');
		await eventually('it has seen the first', () => child.stderr().includes('SIGTERM'));
		child.signal('SIGTERM');
		await expect(child.exit).resolves.toMatchObject({ code: 1 });
	});

	test('prints one line when the port is in use, and exits 1', { timeout }, async () => {
		const { server, port } = await takenPort();
		const { code, stderr } = await plinthHere(['serve', '--port', String(port)], {
			cwd,
			env: { PLINTH_LOG_LEVEL: 'silent' },
		});
		await new Promise((resolve) => server.close(resolve));
		expect([code, stderr]).toEqual([1, expect.stringMatching(`Port ${port} .* is taken\\.`)]);
		expect(stderr).toContain('--port');
	});

	test('rejects an invalid port', { timeout }, async () => {
		const { code, stderr } = await serve({}, ['--port', 'eighty']).exit;
		expect([code, stderr]).toEqual([1, expect.stringContaining('0 to 65535')]);
	});
});

async function takenPort(): Promise<{ server: Server; port: number }> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return { server, port: (server.address() as AddressInfo).port };
}
