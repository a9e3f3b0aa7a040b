import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@plinth/core';
import { mediaErrors } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { openai } from '../src/index.ts';
import { type FeatureTable, features } from './features.ts';

const page = await readFile(join(import.meta.dirname, '../../../docs/adapters/openai.md'), 'utf8');

/** The rows of the table below a heading, with its header. */
function tableBelow(heading: string): string[][] {
	const [, text = ''] = page.split(`## ${heading}\n`);
	const lines = text.split(/\n#/)[0]?.split('\n') ?? [];
	const rows = lines.filter((line) => line.startsWith('|'));
	return rows.map((line) =>
		line
			.slice(1, -1)
			.split('|')
			.map((cell) => cell.trim()),
	);
}

describe('docs/adapters/openai.md', () => {
	test.each([
		['Servers', features.all],
		['Chat', features.chat],
		['Pictures', features.image],
		['Speech', features.speech],
		['Videos', features.video],
	] as const)('has the table of %s that the tests verify', (heading, table: FeatureTable) => {
		const rows = Object.entries(table.rows).map(([feature, cells]) => [feature, ...cells]);
		const [head, , ...found] = tableBelow(heading);
		expect(head).toEqual(['', ...table.dialects.map((name) => `\`${name}\``)]);
		expect(found).toEqual(rows);
	});

	test('lists exactly the options', () => {
		const reported = tableBelow('Options')
			.slice(2)
			.map(([name, kinds]) => [name, kinds]);
		const kindsOf = new Map<string, string[]>();
		for (const [kind, factory] of Object.entries(openai)) {
			for (const name of Object.keys((factory.definition.config as unknown as z.ZodObject).shape)) {
				kindsOf.set(name, [...(kindsOf.get(name) ?? []), kind]);
			}
		}
		const options = [...kindsOf].map(([name, kinds]) => [
			`\`${name}\``,
			kinds.length === Object.keys(openai).length ? 'all' : kinds.join(', '),
		]);
		expect(reported.toSorted()).toEqual(options.toSorted());
	});

	test('lists the status and the code of each error', () => {
		const reported = tableBelow('Failures').map(([, answer]) => answer ?? '');
		for (const { status, code } of [
			errors.E_MODEL_BUSY,
			errors.E_MODEL_UNAVAILABLE,
			errors.E_MODEL_TIMEOUT,
			mediaErrors.E_MODERATION_BLOCKED,
			mediaErrors.E_CONTEXT_TOO_LONG,
		]) {
			expect(reported).toContain(`${status} \`${code}\``);
		}
	});
});
