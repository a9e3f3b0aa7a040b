import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { run } from './support/programs.ts';
import { runtimes } from './support/runtimes.ts';

const { app, runtimes: installed } = inject('prepared');
const cwd = join(app, 'other-nodes');

beforeAll(async () => {
	await mkdir(cwd);
});

test('an error on an old Node names the required version and the current one', async () => {
	// Only the version is replaced. The check itself may use no feature that an old Node lacks.
	const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`;
	const main = join(app, 'node_modules/plinth/dist/main.js');
	const node = await realpath(process.execPath);
	const { code, stdout, stderr } = await run(
		['node', '--import', `data:text/javascript,${encodeURIComponent(pretend)}`, main, 'check'],
		{ cwd },
	);
	expect([code, stdout]).toEqual([1, '']);
	expect(stderr).toBe(
		`Plinth needs Node 22.19 or later; this is 20.20.2, ${node}. Install a later one, or put it first in PATH.\n`,
	);
});

describe.each(runtimes(installed))('on Node $name', ({ name, bin }) => {
	test('standard error has only the warnings of the config', async () => {
		const folder = join(cwd, name);
		await mkdir(folder);
		const check = () => run(['plinth', 'check'], { cwd: folder, bin });
		expect(await check()).toMatchObject({ code: 0, stderr: '' });
		await writeFile(join(folder, 'plinth.config.js'), warning);
		const { code, stderr } = await check();
		expect([code, stderr]).toEqual([0, expect.stringContaining('ExperimentalWarning: Mind.')]);
		expect(stderr).not.toContain('SQLite');
	});
});

const warning = `
	process.emitWarning('Mind.', 'ExperimentalWarning');
	export default { extends: 'plinth:embedded' };
`;
