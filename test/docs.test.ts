import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@plinth/core';
import { imageErrors } from '@plinth/plugin-image';
import { videoErrors } from '@plinth/plugin-video';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from './support/cli.ts';
import { limitsOfSources } from './support/limits.ts';
import { bootEmbedded } from './support/serve.ts';

/** The rows of all tables of a page, without their heads. */
async function tableRows(file: string): Promise<readonly (readonly string[])[]> {
	const text = await readFile(join(root, file), 'utf8');
	const tables = text
		.split(/\n(?!\|)/)
		.map((part) => part.split('\n').filter((line) => line.startsWith('|')));
	return tables.flatMap((lines) =>
		lines.slice(2).map((line) =>
			line
				.slice(1, -1)
				.split('|')
				.map((cell) => cell.trim()),
		),
	);
}

describe('docs/limits.md', () => {
	let booted: Awaited<ReturnType<typeof bootEmbedded>>;
	let rows: readonly (readonly string[])[];

	beforeAll(async () => {
		booted = await bootEmbedded();
		rows = await tableRows('docs/limits.md');
	});

	afterAll(() => booted?.stop());

	test('has every limit of the sources, with its value, and no other', () => {
		const said = rows.map(([, value = '', name = '']) => `${name.replace(/`/g, '')} = ${value}`);
		const sources = [...limitsOfSources(booted.app)].map(([name, value]) => `${name} = ${value}`);
		expect(said.toSorted()).toEqual(sources.toSorted());
	});

	test('promises answers that the tables of errors have', () => {
		const known = Object.values({ ...errors, ...imageErrors, ...videoErrors });
		const wrong = rows.flatMap(([what, , , beyond = '']) =>
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
		const missing = files
			.flatMap(({ files }) => files)
			.filter((file) => !existsSync(join(root, file)));
		expect(missing).toEqual([]);
	});
});
