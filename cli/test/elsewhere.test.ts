import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plinth } from '../../test/support/cli.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';

const timeout = 30_000;
let cwd: string;

beforeAll(async () => {
	cwd = await temporaryDir('cli-elsewhere');
});

afterAll(() => removeDir(cwd));

/** Runs a command in a folder with a config and without packages. */
async function run(file: string, lines: readonly string[], args: readonly string[] = []) {
	await writeFile(join(cwd, file), lines.join('\n'));
	return plinth([args[0] ?? 'check', '-c', file, ...args.slice(1)], { cwd, env: { PORT: '0' } });
}

describe('a config outside the installation', () => {
	test('extends the composition of the running command, and changes parts of it', { timeout }, async () => {
		const child = await run('plinth.config.yaml', [
			'extends: plinth:embedded',
			'backends: { blobs: { with: { dir: ./media } } }',
			'models: { builtin-chat: { aliases: [gpt-4o] } }',
			'plugins: { image: { with: { maxRequests: 3 } }, chat: { defaultModel: gpt-4o } }',
		]);
		const { code, stdout, stderr } = await child.exit;
		expect([code, stderr]).toEqual([0, '']);
		expect(stdout).toContain('builtin-chat (chat, also gpt-4o)');
		expect(stdout).toContain('chat (default model gpt-4o)');
		expect(stdout).toContain(`${cwd}/.plinth; ${cwd}/media`);
	});

	test('imports packages of the installation in TypeScript', { timeout }, async () => {
		const child = await run('plinth.config.ts', [
			"import { defineConfig } from '@plinth/core';",
			"import { builtin } from '@plinth/builtin';",
			"export default defineConfig({ extends: 'plinth:embedded', models: { mine: builtin.speech() } });",
		]);
		const { code, stdout, stderr } = await child.exit;
		expect([code, stderr]).toEqual([0, '']);
		expect(stdout).toContain('mine (speech)');
	});

	test('causes an error for a package that is not installed', { timeout }, async () => {
		const child = await run('bad.config.ts', ["import '@plinth/nothing';", 'export default {};']);
		expect((await child.exit).stderr).toMatch(/Cannot find package '@plinth\/nothing' imported from .*bad\.config\.ts/);
	});

	test('causes a note about data in memory', { timeout }, async () => {
		const child = await run('memory.config.yaml', [
			'server: { auth: off }',
			"backends: { blobs: { use: '@plinth/memory#memoryBlobs' }, auth: { use: '@plinth/keys#apiKeys' } }",
		]);
		const { code, stdout } = await child.exit;
		expect(code).toBe(0);
		expect(stdout).toMatch(/data +blobs: memoryBlobs, until the process ends/);
		expect(stdout).toMatch(/keys +none is required: authentication is off/);
	});
});

describe('the log of a server', () => {
	const config = ['extends: plinth:embedded', "log: { level: '${PLINTH_LOG_LEVEL:-info}', format: json }"];

	test.each([
		['as configured', [], /^\{"level":30,.*"msg":"ready"\}$/m],
		['for people with --pretty', ['--pretty'], /^\d\d:\d\d:\d\d info {2}ready$/m],
		['as JSON with --json', ['--json'], /^\{"level":30,.*"msg":"ready"\}$/m],
	])('is written %s', { timeout }, async (_how, flags, line) => {
		const child = await run('log.config.yaml', config, ['serve', ...flags]);
		await child.printed(/try +curl/);
		child.signal('SIGTERM');
		expect((await child.exit).stderr).toMatch(line);
	});

	test('has one format at a time', { timeout }, async () => {
		const { code, stderr } = await plinth(['serve', '--json', '--pretty'], { cwd }).exit;
		expect([code, stderr]).toEqual([1, expect.stringContaining("'--json' cannot be used with option '--pretty'")]);
	});
});
