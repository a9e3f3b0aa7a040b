import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { create } from '../src/command.ts';
import { CreateError } from '../src/create-error.ts';
import { templates } from '../src/index.ts';

let dir: string;

beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), 'create-plinth-'));
});

afterEach(async () => {
	vi.unstubAllEnvs();
	await rm(dir, { recursive: true });
});

const manifestIn = async (folder: string) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

/** A terminal at which these lines are typed, and then the end of the input. */
function terminal(...lines: readonly string[]) {
	const output = new PassThrough();
	return { input: Readable.from(lines.map((line) => `${line}\n`)), output };
}

test.each(Object.keys(templates))('the template %s has a test, and a README with its name', async (template) => {
	const folder = join(dir, 'My Project');
	const printed = await create([folder, '--template', template]);
	expect(printed).toMatch(/ {2}test\/\w+\.test\.ts\n/);
	expect(await manifestIn(folder)).toMatchObject({ name: 'my-project', scripts: { test: 'vitest run' } });
	expect(await readFile(join(folder, 'README.md'), 'utf8')).toMatch(/^# my-project\n/);
});

test('the folder and the template are asked for, and a wrong template is asked for again', async () => {
	const { input, output } = terminal(join(dir, 'asked'), 'vidio', 'model');
	await create([], { input, output });
	const asked = String(output.read());
	expect(asked).toMatch(/Folder \(my-plinth\): [\s\S]*model +an image model[\s\S]*Template \(app\): /);
	expect(asked).toContain('There is no template "vidio". The templates are app, model, backend, plugin.');
	expect(await manifestIn(join(dir, 'asked'))).toHaveProperty('peerDependencies.@plinth/plugin-image');
});

test('an empty answer is the default', async () => {
	await create([join(dir, 'empty')], terminal(''));
	expect(await manifestIn(join(dir, 'empty'))).toHaveProperty('dependencies.plinth');
});

test('the end of the input writes nothing', async () => {
	await expect(create([join(dir, 'ended')], terminal())).rejects.toThrow('Nothing was written.');
	expect(await readdir(dir)).toEqual([]);
});

test('nothing is asked with --yes, or when the command line names everything', async () => {
	const { input, output } = terminal();
	await create([join(dir, 'a'), '--yes'], { input, output });
	await create([join(dir, 'b'), '-t', 'plugin'], { input, output });
	expect([await readdir(dir), output.read()]).toEqual([['a', 'b'], null]);
});

test('a file of the same name stays, and nothing else is written', async () => {
	await writeFile(join(dir, 'package.json'), 'mine');
	await expect(create([dir, '-y'])).rejects.toThrow(/already has package\.json\. Name another folder/);
	expect(await readdir(dir)).toEqual(['package.json']);
	expect(await readFile(join(dir, 'package.json'), 'utf8')).toBe('mine');
});

test('a folder with other files is taken', async () => {
	await writeFile(join(dir, 'notes.txt'), 'mine');
	await create([dir, '-y']);
	expect(await readdir(dir)).toEqual(expect.arrayContaining(['notes.txt', 'package.json']));
});

test.each([
	['plinth', 'app', 'my-plinth'],
	['zod', 'plugin', 'my-zod'],
	['Été 2026!', 'app', 't-2026'],
	['._', 'model', 'my-model'],
])('a folder named %j gives the package of the template %s the name %j', async (folder, template, name) => {
	await create([join(dir, folder), '-t', template]);
	expect(await manifestIn(join(dir, folder))).toMatchObject({ name });
});

test.each([
	[['a', 'b'], 'Name one folder, not 2: a, b.'],
	[['--tmplate', 'app'], "Unknown option '--tmplate'. --help lists the options."],
	[['-t', 'video'], 'There is no template "video". The templates are app, model, backend, plugin.'],
	[['-t'], /argument missing/],
])('a wrong command line is refused: %j', async (args, message) => {
	await expect(create(args)).rejects.toThrow(CreateError);
	await expect(create(args)).rejects.toThrow(message);
});

test('a file in the place of the folder is refused', async () => {
	await writeFile(join(dir, 'file'), '');
	await expect(create([join(dir, 'file')])).rejects.toThrow(/file is a file\. Name another folder\./);
});

test('the next commands are those of the package manager that runs it', async () => {
	vi.stubEnv('npm_config_user_agent', 'pnpm/10.1.0 npm/? node/v24.21.0');
	expect(await create([join(dir, 'p'), '-y'])).toMatch(/\n {2}pnpm install\n {2}pnpm run test\n {2}pnpm run start\n$/);
});

test('--help and --version write no file', async () => {
	expect(await create(['--help'])).toMatch(/^Usage: npm create plinth@latest[\s\S]*backend +a backend: a blob store/);
	expect(await create(['--version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
});

// A name that an old Node lacks would be a SyntaxError in place of the message.
test('what old versions of Node have to read imports nothing, and names the oldest that works', async () => {
	const read = (path: string) => readFile(join(import.meta.dirname, '..', path), 'utf8');
	const main = await read('src/main.ts');
	expect(main).not.toMatch(/^(?:im|ex)port\b.*from/m);
	const { engines } = JSON.parse(await read('package.json'));
	expect(main).toContain(`needs Node ${engines.node.slice(2)} or later`);
});
