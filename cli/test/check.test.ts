import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Exit, plinth } from '../../test/support/cli.ts';
import { plinthHere } from '../../test/support/command.ts';
import { removeDir, serveEmbedded, temporaryDir } from '../../test/support/serve.ts';

const timeout = 20_000;
const fiveMistakes = join(import.meta.dirname, 'fixtures/five-mistakes/plinth.config.yaml');

let cwd: string;

beforeAll(async () => {
	cwd = await temporaryDir('cli');
});

afterAll(() => removeDir(cwd));

describe('plinth check', () => {
	let fine: Exit;
	let verbose: Awaited<ReturnType<typeof plinthHere>>;

	beforeAll(async () => {
		fine = await plinth(['check'], { cwd }).exit;
		verbose = await plinthHere(['check', '--verbose'], { cwd });
	}, timeout);

	test('prints at most ten lines for the built-in composition, and exits 0', () => {
		expect(fine.stderr).toBe('');
		expect(fine.code).toBe(0);
		expect(fine.stdout).toMatch(/^the built-in composition is fine\n/);
		expect(fine.stdout.split('\n').filter(Boolean).length).toBeLessThanOrEqual(10);
	});

	test.each([
		['the plugins', /plugins +.*video, .*chat/],
		['the models with their kinds', /models +builtin-video \(video\), builtin-image \(image\), /],
		['how many routes there are', /routes +\d+ routes; 14 more answer 404 \(see --verbose\)/],
		['where the data is', () => `${cwd}/.plinth`],
		['where the keys come from', /keys +none yet; the first start creates one/],
		['the address', /address +127\.0\.0\.1:8080/],
	])('has a summary of %s', (_sentence, expected) => {
		const found =
			typeof expected === 'function' ? expect.stringContaining(expected()) : expect.stringMatching(expected);
		expect(fine.stdout).toEqual(found);
	});

	test('ends with the summary when it prints everything', () => {
		expect(verbose.stdout.endsWith(`\n${fine.stdout}`)).toBe(true);
		expect(verbose.stdout).toContain('\n  not offered: /v1/videos/edits, /v1/videos/extensions, /v1/videos/characters');
		expect(verbose.stdout).not.toContain('route GET /v1/videos/edits');
	});

	test.each([
		['the dependencies', /needs core\.blobs from backend blobs/],
		['what a part provides', /backend jobs \(sqliteJobs\) provides core\.jobs/],
		['the routes of a plugin', /plugin video[\s\S]*route POST \/v1\/videos\b/],
		['the models', /builtin-speech \(speech\): /],
		['an optional need that is met', /needs speech\.audioEncoder from backend audio/],
		['an optional need without a provider', /needs media\.remoteImages from nothing \(optional\)/],
	])('prints %s with --verbose', (_sentence, pattern) => {
		expect(verbose.stdout).toMatch(pattern);
	});
});

describe('plinth check', () => {
	test('creates no files, and keeps existing ones', { timeout }, async () => {
		const folder = await temporaryDir('cli-check');
		onTestFinished(() => removeDir(folder));
		const { code } = await plinthHere(['check'], { cwd: folder });
		expect([code, await readdir(folder)]).toEqual([0, []]);
		const { dataDir, stop } = await serveEmbedded();
		onTestFinished(stop);
		const before = await readdir(dataDir);
		const env = { PLINTH_DATA_DIR: dataDir };
		expect((await plinthHere(['check'], { cwd: folder, env })).code).toBe(0);
		expect(await readdir(dataDir)).toEqual(before);
	});

	test('reports a data folder that cannot be created, as serve does', { timeout }, async () => {
		const folder = await temporaryDir('cli-check');
		onTestFinished(() => removeDir(folder));
		await writeFile(join(folder, 'taken'), '');
		const env = { PLINTH_DATA_DIR: join(folder, 'taken') };
		for (const command of ['check', 'serve']) {
			const { code, stdout, stderr } = await plinthHere([command], { cwd: folder, env });
			expect([command, code, stdout]).toEqual([command, 1, '']);
			expect(stderr).toMatch(/the data folder .*taken cannot be made: a file has that name/);
		}
	});

	test('reports that the folder for temporary files is unusable', { timeout }, async () => {
		const TMPDIR = join(cwd, 'no-folder');
		await writeFile(TMPDIR, '');
		const { code, stdout, stderr } = await plinthHere(['check'], { cwd, env: { TMPDIR } });
		expect([code, stdout]).toEqual([1, '']);
		expect(stderr).toMatch(/no-folder cannot be written to \(ENOTDIR\).* Set TMPDIR to .*\n$/);
		expect(stderr).not.toMatch(/^\s+at /m);
	});

	test('reports an entry that cannot be read, and not its dependants', { timeout }, async () => {
		const file = join(import.meta.dirname, 'fixtures/no-use/plinth.config.yaml');
		const { code, stderr } = await plinthHere(['check', '-c', file], { cwd });
		expect(code).toBe(1);
		expect(stderr).toMatch(/one problem in .*\n\n {2}1\. backend blob: has options but no use, and no preset defines/);
	});

	test('prints aliases of models and their fallbacks', { timeout }, async () => {
		const file = join(import.meta.dirname, 'fixtures/aliases/plinth.config.yaml');
		const { code, stdout } = await plinthHere(['check', '--verbose', '-c', file], { cwd });
		expect(code).toBe(0);
		expect(stdout).toContain('careful (chat, also gpt-4o, then builtin-chat)');
		expect(stdout).toMatch(/\n {2}careful \(chat\).*\n {4}aliases: gpt-4o\n {4}if it fails: builtin-chat\n/);
	});
});

describe('plinth check on a config with five mistakes', () => {
	let broken: Exit;

	beforeAll(async () => {
		broken = await plinth(['check', '--config', fiveMistakes], { cwd }).exit;
	}, timeout);

	test('exits 1 and prints nothing on standard output', () => {
		expect(broken.code).toBe(1);
		expect(broken.stdout).toBe('');
	});

	test('prints their number and the file', () => {
		expect(broken.stderr).toContain(`5 problems in ${fiveMistakes}`);
	});

	test.each([
		['the variable', 'E_CONFIG_ENV', 'backends.auth.with.keys', /A_VARIABLE_THAT_IS_NOT_SET/],
		['the export', 'E_CONFIG_NAME', 'models.clip-1', /builtin\.vidio/],
		['the option', 'E_OPTIONS_INVALID', 'plugins.video.with.retentionHours', />\s?0/],
		['the model', 'E_MODEL_UNUSED', 'models.narrator', /no plugin consumes/],
		['the service', 'E_SERVICE_MISSING', 'plugins.video', /media\.images/],
	])('reports %s with its path and remedy', (_sentence, code, path, message) => {
		const problems = broken.stderr.split(/\n\n/).filter((part) => part.includes('remedy'));
		const [found = ''] = problems.filter((problem) => problem.includes(code));
		expect(found).toMatch(message);
		expect(found).toMatch(new RegExp(`at +${path.replaceAll('.', '\\.')}\\n`));
		expect(found).toMatch(/remedy +\w/);
	});

	test('prints no stack', () => {
		expect(broken.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
	});
});

describe('a config file', () => {
	test('that does not exist is reported', { timeout }, async () => {
		const { code, stderr } = await plinthHere(['check', '-c', 'nowhere.yaml'], { cwd });
		expect([code, stderr]).toEqual([1, expect.stringContaining(join(cwd, 'nowhere.yaml'))]);
		expect(stderr).toContain('does not exist');
		expect(stderr).toContain('Name one that exists, or write one: npm run plinth -- init\n');
	});

	test('that cannot be parsed is reported with the line', { timeout }, async () => {
		await writeFile(join(cwd, 'broken.yaml'), 'models:\n  a: [1, 2\nplugins: {}\n');
		const { code, stderr } = await plinthHere(['check'], {
			cwd,
			env: { PLINTH_CONFIG: 'broken.yaml' },
		});
		expect([code, stderr]).toEqual([1, expect.stringContaining(join(cwd, 'broken.yaml'))]);
		expect(stderr).toMatch(/cannot be parsed: .*line \d+/);
	});

	test('in the working directory is found', { timeout }, async () => {
		await writeFile(join(cwd, 'plinth.config.json'), '{"server":{"auth":"off"}}');
		const { code, stdout } = await plinthHere(['check'], { cwd });
		expect([code, stdout]).toEqual([0, expect.stringMatching(/plinth\.config\.json is fine/)]);
	});
});

describe('plinth openapi', () => {
	test('prints the document as JSON and nothing else', { timeout }, async () => {
		const { code, stdout, stderr } = await plinthHere(['openapi'], {
			cwd,
			env: { PLINTH_CONFIG: fiveMistakes.replace('five-mistakes', 'small') },
		});
		expect([code, stderr]).toEqual([0, '']);
		expect(Object.keys((JSON.parse(stdout) as { paths: object }).paths)).toEqual(
			expect.arrayContaining(['/healthz', '/v1/models', '/v1/audio/speech']),
		);
	});
});

describe('an unknown command', () => {
	test('prints the help, and exits 1', { timeout }, async () => {
		const { code, stderr } = await plinthHere(['srve'], { cwd });
		expect([code, stderr]).toEqual([1, expect.stringMatching(/Usage: plinth/)]);
	});
});
