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

describe('plinth worker', () => {
	test('says what it works on, listens nowhere, and exits 0 on SIGTERM', { timeout }, async () => {
		const child = worker();
		await child.printed(/works on[\s\S]*video \(plugin video\)/);
		expect(child.stdout()).not.toContain('http://');
		child.signal('SIGTERM');
		await expect(child.exit).resolves.toMatchObject({ code: 0, signal: null });
	});

	test('refuses a composition whose jobs live in the memory of one process', {
		timeout,
	}, async () => {
		const config = join(root, 'examples/yaml-deployment/plinth.config.yaml');
		const { code, stderr } = await plinthHere(['worker', '--config', config], options());
		expect([code, stderr]).toEqual([1, expect.stringContaining('backend jobs (memoryJobs)')]);
		expect(stderr).toContain('sqliteJobs');
	});

	test('refuses a composition without jobs', { timeout }, async () => {
		const config = join(import.meta.dirname, 'fixtures/no-jobs/plinth.config.yaml');
		const { code, stderr } = await plinthHere(['worker', '--config', config], options());
		expect([code, stderr]).toEqual([1, expect.stringContaining('No plugin of this composition has jobs')]);
	});
});
