import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { configFrom } from '../../cli/src/find-config.ts';
import { bootEmbedded, removeDir, temporaryDir } from '../support/serve.ts';

/** The status of `/` after a command of `plinth` has read this config. */
async function statusWith(config: string, env: Record<string, string> = {}): Promise<number> {
	const dir = await temporaryDir('console');
	onTestFinished(() => removeDir(dir));
	const file = join(dir, 'plinth.config.yaml');
	await writeFile(file, config);
	const { config: resolved } = await configFrom({ config: file }, { PLINTH_DATA_DIR: join(dir, 'data'), ...env });
	const app = await createApp({ ...resolved, server: { drainDelayMs: 0 } }, { file, log: silentLogger() });
	onTestFinished(() => app.stop());
	return (await app.fetch(new Request('http://localhost/'))).status;
}

const preset = 'extends: plinth:embedded\n';

describe('the console', () => {
	test('is present for commands, with the default composition or an extended one', async () => {
		expect(await statusWith(preset)).toBe(200);
	});

	test.each([
		['an entry of the config', `${preset}plugins: { console: false }\n`, {}],
		['its option', `${preset}plugins: { console: { with: { page: off } } }\n`, {}],
		['a variable', preset, { PLINTH_CONSOLE: 'off' }],
	])('is removed by %s', async (_, config, env) => {
		expect(await statusWith(config, env)).toBe(404);
	});

	test('refuses any other value, and names the variable', async () => {
		await expect(statusWith(preset, { PLINTH_CONSOLE: 'perhaps' })).rejects.toThrow(/PLINTH_CONSOLE/);
	});

	test('is absent in a program that extends the composition', async () => {
		const { app, stop } = await bootEmbedded();
		onTestFinished(stop);
		expect((await app.fetch(new Request('http://localhost/'))).status).toBe(404);
		const { paths } = app.openapi() as { readonly paths: object };
		expect(Object.keys(paths).filter((path) => !/^\/(?:v1|api|healthz|readyz|openapi)/.test(path))).toEqual([]);
	});
});
