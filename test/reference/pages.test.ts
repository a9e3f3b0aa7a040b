import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { escaped } from '../../scripts/reference/markdown.ts';
import { meaningIn, placesOf } from '../../scripts/reference/meanings.ts';
import { defaultOf, typeOf } from '../../scripts/reference/schema.ts';
import { generatedPages } from '../../scripts/reference.ts';
import { root } from '../support/cli.ts';

test.each(Object.entries(generatedPages))('%s is the output of npm run reference', async (file, write) => {
	expect(readFileSync(join(root, file), 'utf8')).toBe(`${await write()}\n`);
});

test.each([
	[z.coerce.number().int().min(1).max(64).default(2), 'integer, 1 to 64', '`2`'],
	[z.number().positive().max(60).optional(), 'number above 0, at most 60', '–'],
	[z.number().int().min(0), 'integer, at least 0', 'needed'],
	[z.union([z.boolean(), z.stringbool()]).default(true), '`true` or `false`', '`true`'],
	[z.enum(['a', 'b', 'c']).default('b'), '`a`, `b` or `c`', '`"b"`'],
	[z.array(z.union([z.string(), z.url()])).min(1), 'list of (text or address)', 'needed'],
	[z.string().default('1').transform(Number), 'text', '`"1"`'],
	[z.strictObject({ at: z.number().default(1) }).prefault({}), 'object', '–'],
])('the type of an option is described in words: %#', (schema, type, fallback) => {
	expect([typeOf(schema), defaultOf(schema)]).toEqual([type, fallback]);
});

test('an option is described by the comment of its member, its object or the source of its value', () => {
	const documents = placesOf(join(root, 'adapters/documents'), 'documentReader');
	const records = placesOf(join(root, 'adapters/sqlite'), 'sqliteRecords');
	const command = placesOf(join(root, 'adapters/command'), 'command.speech');
	expect(meaningIn(documents, 'ocr.languages')).toMatch(/^The names of Tesseract/);
	expect(meaningIn(records, 'file')).toMatch(/^The path of the file\./);
	expect(meaningIn(command, 'voicesFrom.pattern')).toContain('its first group is the voice');
	expect(meaningIn(documents, 'nowhere')).toBeUndefined();
});

test('plain text in Markdown is neither HTML nor an attribute of a heading', () => {
	expect(escaped('Return { id, tenant } as <key> or ${NAME:-x}.')).toBe(
		'Return `{ id, tenant }` as &lt;key> or `${NAME:-x}`.',
	);
	expect(escaped('`a <b> {c}` stays')).toBe('`a <b> {c}` stays');
});
