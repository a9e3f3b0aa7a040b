import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plinthHere } from '../../test/support/command.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';

const timeout = 20_000;
let cwd: string;

beforeEach(async () => {
	cwd = await temporaryDir('cli-migrate');
});

afterEach(() => removeDir(cwd));

/** Runs `plinth migrate` with one versioned backend, whose `migrate` has this source. */
async function migrate(body: string, options = '{}') {
	const source = `
		import { defineBackend, defineConfig, services } from '@plinth/core';
		import { z } from 'zod';
		const versioned = defineBackend({
			name: 'versioned',
			provides: services.records,
			config: z.strictObject({ file: z.string().default('a.db') }),
			create: () => { throw new Error('the backend must not be created'); },
			async migrate({ file }) { ${body} },
		});
		export default defineConfig({ backends: { records: versioned(${options}) } });
	`;
	await writeFile(join(cwd, 'plinth.config.ts'), source);
	return plinthHere(['migrate'], { cwd, env: {} });
}

describe('plinth migrate', () => {
	test('migrates each versioned backend without creating it', { timeout }, async () => {
		const { code, stdout } = await migrate('return `${file} was brought from version 1 to 2`;');
		expect([code, stdout]).toEqual([0, 'records: a.db was brought from version 1 to 2\n']);
	});

	test('prints the error without secrets', { timeout }, async () => {
		const { code, stderr } = await migrate("throw new Error('postgres://me:secret-word@host does not answer');");
		expect([code, stderr]).toEqual([1, expect.stringMatching(/^backends\.records: .*does not answer\n$/)]);
		expect(stderr).not.toContain('secret-word');
	});

	test('names an invalid option', { timeout }, async () => {
		const { code, stderr } = await migrate('return file;', '{ file: 1 }');
		expect([code, stderr]).toEqual([1, expect.stringContaining('backends.records.with.file: ')]);
	});

	test('reports that the built-in composition needs no migration', { timeout }, async () => {
		const { code, stdout } = await plinthHere(['migrate'], { cwd, env: {} });
		expect([code, stdout]).toEqual([0, expect.stringContaining('each migrates when it starts')]);
	});
});
