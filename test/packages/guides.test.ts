import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './support/workspace.ts';

test.each([
	['write-a-model', 'image'],
	['write-a-backend', 'blobs'],
	['write-a-plugin', 'embeddings'],
])('the guide %s shows all files of the third-party package %s unchanged', async (guide, name) => {
	const folder = join(root, 'test/packages/third-party', name);
	const text = await readFile(join(root, `docs/guides/${guide}.md`), 'utf8');
	const shown = [...text.matchAll(/^`([\w.]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(
		([, file = '', content = '']) => [file, content] as const,
	);
	const files = await Promise.all(
		(await readdir(folder))
			.filter((file) => file !== 'dist')
			.map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const),
	);
	expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(files));
});
