import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../test/support/cli.ts';
import { plinthHere } from '../../test/support/command.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';

const timeout = 20_000;

let cwd: string;

beforeEach(async () => {
	cwd = await temporaryDir('cli-init');
});

afterEach(() => removeDir(cwd));

describe('plinth init', () => {
	test.each([
		['plinth.config.yaml', []],
		['plinth.config.ts', ['--ts']],
	])('writes a %s that plinth check accepts', { timeout }, async (file, flags) => {
		await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'));
		const { code, stdout } = await plinthHere(['init', ...flags], { cwd });
		expect([code, stdout]).toEqual([
			0,
			expect.stringMatching(`^Wrote ${file}\\. Check it: npm run plinth -- check\\.`),
		]);
		const checked = await plinthHere(['check'], { cwd });
		expect(checked).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`${file} is fine`) });
	});

	test('writes a YAML config that is valid by the schema, including its commented examples', async () => {
		await plinthHere(['init'], { cwd });
		const text = await readFile(join(cwd, 'plinth.config.yaml'), 'utf8');
		const shown = text.replace(/^# (models:|#? {2,3}\S)/gm, '$1').replace(/^( *)# (speech: false)/m, '$1$2');
		const schema = JSON.parse((await plinthHere(['schema'], { cwd })).stdout);
		const validate = new Ajv({ strict: false }).compile(schema);
		for (const config of [text, shown]) expect([validate(parse(config)), validate.errors]).toEqual([true, null]);
		expect(parse(shown)).toMatchObject({
			models: { 'my-model': { use: './my-model.ts' } },
			plugins: { speech: false },
		});
	});

	test.each([
		[true, '# yaml-language-server: $schema=./node_modules/plinth/schema.json'],
		[false, '# yaml-language-server: $schema=./plinth.schema.json'],
	])('names the schema when it is installed: %s', async (isInstalled, line) => {
		if (isInstalled) await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'));
		await plinthHere(['init'], { cwd });
		expect((await readFile(join(cwd, 'plinth.config.yaml'), 'utf8')).split('\n')).toContain(line);
	});

	test('keeps an existing config unless --force is given', async () => {
		const file = join(cwd, 'plinth.config.yaml');
		await writeFile(file, 'extends: plinth:embedded\n');
		const refused = await plinthHere(['init'], { cwd });
		expect(refused).toEqual({
			code: 1,
			stdout: '',
			stderr: 'This folder already has plinth.config.yaml. --force replaces the file.\n',
		});
		expect(await readFile(file, 'utf8')).toBe('extends: plinth:embedded\n');
		expect((await plinthHere(['init', '--force'], { cwd })).code).toBe(0);
		expect(await readFile(file, 'utf8')).toContain('retentionHours');
	});

	test('writes no second config beside another one, because only one would be read', async () => {
		await writeFile(join(cwd, 'plinth.config.mjs'), 'export default {}\n');
		const { code, stderr } = await plinthHere(['init', '--force'], { cwd });
		expect([code, stderr]).toEqual([1, expect.stringContaining('This folder already has plinth.config.mjs.')]);
	});
});
