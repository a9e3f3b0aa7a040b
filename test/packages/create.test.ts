import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Ended, run, serve } from './support/programs.ts';

const { app, tarballs } = inject('prepared');
const npm = promisify(execFile);
const names = ['app', 'model', 'backend', 'plugin'];

/** An npm workspace, so that all projects are installed at once. */
const workspace = join(app, '../created');
const folderOf = (name: string) => join(workspace, `my-${name}`);
const created: Record<string, Ended> = {};

beforeAll(async () => {
	await mkdir(workspace);
	for (const name of names) {
		const args = [`my-${name}`, '--template', name, '--yes'];
		created[name] = await run(['create-plinth', ...args], { cwd: workspace });
	}
	await writeFile(join(workspace, 'package.json'), '{ "private": true, "workspaces": ["my-*"] }');
	const ours = tarballs
		.filter(({ name }) => /^(?:@plinth\/|plinth$)/.test(name))
		.map(({ filename }) => join(app, '../packed', filename));
	const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
	await npm('npm', ['install', ...flags, ...ours], { cwd: workspace });
}, 180_000);

/** The files of a project without those that npm installs. */
async function filesOf(project: string): Promise<readonly string[]> {
	const folder = folderOf(project);
	return (await readdir(folder, { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile() && !/[/\\]node_modules(?:[/\\]|$)/.test(entry.parentPath.slice(folder.length)))
		.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
		.sort();
}

/** Runs a script of a project with its installed commands. */
function script(project: string, name: string): Promise<Ended> {
	return run(['npm', 'run', '--silent', name], { cwd: folderOf(project), env: { NO_COLOR: '1' } });
}

describe.each(names)('the project that create-plinth makes from the template %s', (name) => {
	test('has the printed files, and the next commands are printed', async () => {
		const { code, stdout } = created[name] ?? {};
		expect(code).toBe(0);
		expect(stdout).toContain((await filesOf(name)).map((file) => `  ${file}\n`).join(''));
		expect(stdout).toMatch(new RegExp(`cd my-${name}\n  npm install\n  npm run test\n`));
	});

	test('contains no placeholder', async () => {
		expect(await readFile(join(folderOf(name), 'README.md'), 'utf8')).toMatch(new RegExp(`^# my-${name}$`, 'm'));
		expect(await readFile(join(folderOf(name), 'README.md'), 'utf8')).not.toContain('{{');
	});

	test('declares every package that it imports', async () => {
		const { dependencies, peerDependencies, devDependencies } = JSON.parse(
			await readFile(join(folderOf(name), 'package.json'), 'utf8'),
		);
		const declared = Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies });
		const files = (await filesOf(name)).filter((file) => file.endsWith('.ts'));
		const texts = await Promise.all(files.map((file) => readFile(join(folderOf(name), file), 'utf8')));
		const imported = texts.flatMap((text) =>
			[...text.matchAll(/ from '((?:@[\w-]+\/)?[\w-]+)/g)].map(([, from]) => from),
		);
		expect(imported.filter((from) => from !== 'node' && !declared.includes(from ?? ''))).toEqual([]);
		expect(imported.length).toBeGreaterThan(2);
	});

	test('passes its own tests', async () => {
		const { code, stdout, stderr } = await script(name, 'test');
		expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/Tests +\d+ passed \(\d+\)/), stderr]);
	});

	test('passes the type checker', async () => {
		expect(await script(name, 'typecheck')).toMatchObject({ code: 0, stdout: '' });
	});

	test('has a config that plinth check accepts', async () => {
		const { code, stdout, stderr } = await script(name, 'check');
		expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/ is fine\n/), stderr]);
	});
});

test.each(['model', 'backend', 'plugin'])('the template %s compiles to what its manifest exports', async (name) => {
	expect(await script(name, 'build')).toMatchObject({ code: 0 });
	// In its own process, because this one loads sources.
	const print = "import('./dist/index.js').then((module) => console.log(Object.keys(module).join()))";
	const printed = await run(['node', '--eval', print], { cwd: folderOf(name) });
	expect(printed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\w+\n$/), stderr: '' });
});

test('the server of the template app serves', async () => {
	const bin = join(workspace, 'node_modules/.bin');
	const server = await serve({ cwd: folderOf('app'), bin, env: { PLINTH_API_KEYS: 'tests:a-key-for-the-tests' } });
	const response = await fetch(`${server.url}/v1/models`, { headers: { 'x-api-key': 'a-key-for-the-tests' } });
	expect([response.status, await server.stop()]).toMatchObject([200, { code: 0 }]);
});

test('create-plinth does not overwrite a project', async () => {
	const before = await readFile(join(folderOf('app'), 'package.json'), 'utf8');
	const again = await run(['create-plinth', 'my-app', '-t', 'plugin', '-y'], { cwd: workspace });
	expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('my-app already has') });
	expect(await readFile(join(folderOf('app'), 'package.json'), 'utf8')).toBe(before);
	expect(await readdir(folderOf('app'))).not.toContain('src');
});
