import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importFrom, NotFound } from '../../src/engine/config/import-from.ts';

let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'plinth-packages-'));
	const exports = { '.': { import: './main.js' }, './*': './parts/*.js', './lost': './lost.js' };
	const files = {
		'shop/package.json': JSON.stringify({ name: 'shop', type: 'module', exports }),
		'shop/main.js': "export const name = 'main';",
		'shop/parts/shelf.js': "export const name = 'shelf';",
		'shop/parts/broken.js': "import 'nothing-of-that-name';",
		'kiosk/package.json': JSON.stringify({ name: 'kiosk', exports: './main.js' }),
	};
	for (const [file, text] of Object.entries(files)) {
		const path = join(folder, 'node_modules', file);
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, text);
	}
	await writeFile(join(folder, 'own.mjs'), "export const name = 'own';");
});

afterAll(() => rm(folder, { recursive: true }));

test.each([
	['the package itself', 'shop', 'main'],
	['a pattern of its exports', 'shop/shelf', 'shelf'],
	['a file beside the config', './own.mjs', 'own'],
])('%s is imported from the folder of the config', async (_, specifier, name) => {
	expect(await importFrom(specifier, { folder })).toMatchObject({ name });
	const elsewhere = await importFrom(specifier, { folder: tmpdir(), installation: folder }).catch(() => undefined);
	expect(elsewhere?.name).toBe(specifier.startsWith('.') ? undefined : name);
});

test.each([
	['a package that is not there', 'shop-of-nobody', /^the package shop-of-nobody is not installed beside /],
	['a file that is not there', './nothing.mjs', /^there is no file /],
	['an export that the package does not have', 'kiosk/shelf', /'\.\/shelf' is not defined by "exports"/],
])('%s is not found', async (_, specifier, message) => {
	const failure = await importFrom(specifier, { folder }).catch((error: Error) => error);
	expect(failure).toBeInstanceOf(NotFound);
	expect(failure?.message).toMatch(message);
});

test.each(['shop/broken', 'shop/lost'])('%s is found but fails to load', async (specifier) => {
	const failure = await importFrom(specifier, { folder }).catch((error: Error) => error);
	expect(failure).toBeInstanceOf(Error);
	expect(failure).not.toBeInstanceOf(NotFound);
});
