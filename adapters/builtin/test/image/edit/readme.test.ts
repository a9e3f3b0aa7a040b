import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { handbook } from './handbook.ts';

it('the README lists every operation as the table of operations describes it', async () => {
	const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
	expect(readme).toContain(handbook());
});
