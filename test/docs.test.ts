import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@plinth/core';
import { fileErrors } from '@plinth/plugin-files';
import { imageErrors } from '@plinth/plugin-image';
import { videoErrors } from '@plinth/plugin-video';
import { webhookErrors } from '@plinth/plugin-webhooks';
import { mediaErrors } from '@plinth/toolkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limitSections } from '../scripts/reference/limits/page.ts';
import { root } from './support/cli.ts';
import { bootEmbedded } from './support/serve.ts';

/** The rows of all tables of a page, without their heads. */
async function tableRows(file: string): Promise<readonly (readonly string[])[]> {
	const text = await readFile(join(root, file), 'utf8');
	const tables = text.split(/\n(?!\|)/).map((part) => part.split('\n').filter((line) => line.startsWith('|')));
	return tables.flatMap((lines) =>
		lines.slice(2).map((line) =>
			line
				.slice(1, -1)
				.split('|')
				.map((cell) => cell.trim()),
		),
	);
}

let booted: Awaited<ReturnType<typeof bootEmbedded>>;

beforeAll(async () => {
	booted = await bootEmbedded();
});

afterAll(() => booted?.stop());

describe('README.md', () => {
	test('names every path of the built-in composition, and no other', async () => {
		const text = await readFile(join(root, 'README.md'), 'utf8');
		const section = text.slice(text.indexOf('\n## Routes\n'), text.indexOf('\n## A server in'));
		const said = [...section.matchAll(/`(\/[^`]+)`/g)].map(([, path = '']) => path);
		const { paths } = booted.app.openapi() as { readonly paths: object };
		expect(said.toSorted()).toEqual(Object.keys(paths).toSorted());
	});

	test('leads to the page of every package', async () => {
		const text = await readFile(join(root, 'README.md'), 'utf8');
		const packages = globSync(['core/*', 'plugins/*', 'adapters/*', 'cli'], { cwd: root });
		const missing = packages.filter((folder) => !text.includes(`](${folder})`));
		expect(packages.length).toBeGreaterThan(15);
		expect(missing).toEqual([]);
	});
});

describe('docs/limits.md', () => {
	test('promises answers that the tables of errors have', () => {
		const tables = [errors, mediaErrors, fileErrors, imageErrors, videoErrors, webhookErrors];
		const known = tables.flatMap((table) => Object.values(table));
		const wrong = limitSections
			.flatMap(({ rows }) => rows)
			.flatMap(([what, , beyond]) =>
				[...beyond.matchAll(/(\d{3}) `(\w+)`/g)]
					.filter(([, status, code]) => {
						// The parser of Node refuses a head that is too large before there is a route.
						const wanted = status === '431' ? 413 : Number(status);
						return !known.some((spec) => spec.status === wanted && spec.code === code);
					})
					.map(([promise]) => `${what}: ${promise}`),
			);
		expect(wrong).toEqual([]);
	});
});

describe('SECURITY.md', () => {
	test('names, for each threat, a test that is there', async () => {
		const rows = await tableRows('SECURITY.md');
		const threats = rows.filter((cells) => cells.length === 4);
		expect(threats.length).toBeGreaterThan(15);
		const files = threats.map(([threat, , , proof = '']) => ({
			threat,
			files: [...proof.matchAll(/`([^`]+\.ts)`/g)].map(([, file = '']) => file),
		}));
		expect(files.filter(({ files }) => files.length === 0)).toEqual([]);
		const missing = files.flatMap(({ files }) => files).filter((file) => !existsSync(join(root, file)));
		expect(missing).toEqual([]);
	});
});
