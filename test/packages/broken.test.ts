import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { run } from './support/programs.ts';

const { app } = inject('prepared');
const configOf = (use: string) => `extends: plinth:embedded\nplugins:\n  weather: { use: '${use}' }\n`;
const manifest = '{ "name": "plinth-weather", "type": "module", "exports": "./index.js" }';

interface Report {
	readonly file: string;
	/** The reference to the plugin in the config; its package name by default. */
	readonly use?: string;
	readonly message: RegExp;
	readonly remedy: RegExp;
	readonly code: string;
}

const reports: readonly Report[] = [
	{
		file: 'no-factory',
		message: /plinth-weather exports no plugin factory, which is what definePlugin returns; it exports weather\./,
		remedy: /check the spelling of package and export/,
		code: 'E_CONFIG_NAME',
	},
	{
		file: 'nothing',
		message: /plinth-weather exports no plugin factory.*; it exports nothing\./,
		remedy: /check the spelling of package and export/,
		code: 'E_CONFIG_NAME',
	},
	{
		file: 'other-names',
		use: 'plinth-weather#wether',
		message:
			/exports no plugin factory named wether; it exports models\.sky \(model factory\), weather \(plugin factory\), skies\./,
		remedy: /Did you mean plinth-weather#weather\?/,
		code: 'E_CONFIG_NAME',
	},
	{
		file: 'other-names',
		use: 'plinth-weather#models.sky',
		message: /plinth-weather#models\.sky is a model factory, and a plugin factory belongs here;/,
		remedy: /Name one: plinth-weather#weather\./,
		code: 'E_CONFIG_NAME',
	},
	{
		file: 'called',
		message: /it exports weather \(plugin factory that has been called already\)\./,
		remedy: /check the spelling of package and export/,
		code: 'E_CONFIG_NAME',
	},
	{
		file: 'lost-dependency',
		message: /"plinth-weather" cannot be loaded: .*satellites/,
		remedy: /Install or fix what the message names/,
		code: 'E_CONFIG_LOAD',
	},
	{
		file: 'api-version',
		message: /has version 2 of the plugin API; this core has 1\./,
		remedy: /Install releases .* that belong together/,
		code: 'E_API_VERSION',
	},
	{
		file: 'no-schema',
		message: /its definition has no config: a zod schema of its options\./,
		remedy: /Complete what was passed to definePlugin/,
		code: 'E_DEFINITION',
	},
	{
		file: 'missing-service',
		message: /needs weather\.barometer/,
		remedy: /Add a backend or plugin that provides it/,
		code: 'E_SERVICE_MISSING',
	},
	{
		file: 'no-scope',
		message: /GET \/v1\/weather/,
		remedy: /Set its scope/,
		code: 'E_ROUTE_SCOPE',
	},
];

test.each(reports)('plinth check reports the mistake of a plugin: $file $use', async (expected) => {
	const { file, use = 'plinth-weather' } = expected;
	const cwd = await mkdtemp(join(app, `broken-${file}-`));
	await copyFile(join(import.meta.dirname, `broken/${file}.js`), join(cwd, 'index.js'));
	await writeFile(join(cwd, 'package.json'), manifest);
	await writeFile(join(cwd, 'plinth.config.yaml'), configOf(use));

	const { code, stdout, stderr } = await run(['plinth', 'check'], { cwd });

	expect([code, stdout]).toEqual([1, '']);
	expect(stderr).toContain(`one problem in ${join(cwd, 'plinth.config.yaml')}`);
	expect(stderr).toMatch(/^ +1\. plugin weather: /m);
	expect(stderr).toMatch(expected.message);
	expect(stderr).toMatch(/^ +at +plugins\.weather$/m);
	expect(stderr).toMatch(new RegExp(`^ +remedy +.*${expected.remedy.source}`, 'm'));
	expect(stderr).toContain(expected.code);
	// The report has no stack trace.
	expect(stderr).not.toMatch(/^\s+at .*\.js:\d+/m);
});
