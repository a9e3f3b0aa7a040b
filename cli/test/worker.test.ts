import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Child, plinth, root } from '../../test/support/cli.ts';
import { plinthHere } from '../../test/support/command.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';

const timeout = 30_000;
const children: Child[] = [];
let cwd: string;

beforeEach(async () => {
	cwd = await temporaryDir('cli-worker');
});

afterEach(async () => {
	await Promise.all(children.splice(0).map((child) => child.kill()));
	await removeDir(cwd);
});

const options = () => ({ cwd, env: { PLINTH_LOG_LEVEL: 'silent' } });

function worker(): Child {
	const child = plinth(['worker'], options());
	children.push(child);
	return child;
}

describe('plinth serve with the worker role', () => {
	test('runs jobs, and responds only to probes', { timeout }, async () => {
		const env = { ...options().env, PORT: '0', PLINTH_ROLE: 'worker', PLINTH_API_KEYS: 'me:secret-of-the-tests' };
		const child = plinth(['serve'], { cwd, env });
		children.push(child);
		const [, url = ''] = await child.printed(/probes +(http:\S+)\/readyz/);
		expect(child.stdout()).toMatch(/works on[\s\S]*video \(plugin video\)/);
		const ask = async (path: string) => {
			const answer = await fetch(`${url}${path}`, { headers: { 'x-api-key': 'secret-of-the-tests' } });
			return [answer.status, await answer.text()];
		};
		expect(await ask('/readyz')).toEqual([200, '{"status":"ready"}']);
		expect(await ask('/healthz')).toEqual([200, '{"status":"ok"}']);
		const refusal = expect.stringContaining('This process is a worker. It answers /healthz and /readyz alone.');
		for (const path of ['/openapi.json', '/v1/models', '/v1/videos']) expect(await ask(path)).toEqual([404, refusal]);
		child.signal('SIGTERM');
		await expect(child.exit).resolves.toMatchObject({ code: 0, signal: null });
	});

	test('rejects an unknown role by name', { timeout }, async () => {
		const env = { ...options().env, PLINTH_ROLE: 'wrker' };
		const { code, stderr } = await plinthHere(['check'], { cwd, env });
		expect([code, stderr]).toEqual([1, expect.stringContaining('Correct the environment variable PLINTH_ROLE.')]);
	});
});

describe('plinth worker', () => {
	test('prints its job kinds, does not listen, and exits 0 on SIGTERM', { timeout }, async () => {
		const child = worker();
		await child.printed(/works on[\s\S]*video \(plugin video\)/);
		expect(child.stdout()).not.toContain('http://');
		child.signal('SIGTERM');
		await expect(child.exit).resolves.toMatchObject({ code: 0, signal: null });
	});

	test('rejects a composition whose jobs are in memory', {
		timeout,
	}, async () => {
		const config = join(root, 'examples/yaml-deployment/plinth.config.yaml');
		const { code, stderr } = await plinthHere(['worker', '--config', config], options());
		expect([code, stderr]).toEqual([1, expect.stringContaining('backend jobs (memoryJobs)')]);
		expect(stderr).toContain('sqliteJobs');
	});

	test('rejects a composition without jobs', { timeout }, async () => {
		const config = join(import.meta.dirname, 'fixtures/no-jobs/plinth.config.yaml');
		const { code, stderr } = await plinthHere(['worker', '--config', config], options());
		expect([code, stderr]).toEqual([1, expect.stringContaining('No plugin of this composition has jobs')]);
	});
});
