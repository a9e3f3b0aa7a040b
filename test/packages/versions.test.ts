import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '@plinth/core';
import { expect, test } from 'vitest';
import { versionedFiles, withVersion } from '../../scripts/bump.ts';
import { published, root } from './support/workspace.ts';

const texts = await Promise.all(
	versionedFiles().map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const),
);

test('all packages have one version, and depend on each other with it', () => {
	const astray = texts.filter(([path, text]) => withVersion(path, text, version) !== text);
	expect(astray.map(([path]) => path)).toEqual([]);
	const versions = published.map(({ manifest }) => manifest.version);
	expect([...new Set(versions)]).toEqual([version]);
});

test('a bump changes every version of our packages and every range for them', () => {
	const bumped = texts.map(([path, text]) => withVersion(path, text, '98.7.6'));
	const ranges = bumped.flatMap((text) => text.match(/"(?:plinth|@plinth\/[\w-]+)": "[^".][^"]*"/g) ?? []);
	expect(ranges.length).toBeGreaterThan(60);
	expect(ranges.filter((range) => !range.endsWith('"^98.7.6"'))).toEqual([]);
	const own = bumped.filter((text) => /version(?:": "| = ')98\.7\.6/.test(text));
	expect(own).toHaveLength(published.length + 1);
});

test('a bump changes no versions of other packages', () => {
	const [path, text] = texts.find(([each]) => each === 'core/kernel/package.json') ?? ['', ''];
	const before = JSON.parse(text);
	const after = JSON.parse(withVersion(path, text, '98.7.6'));
	expect(after).toEqual({ ...before, version: '98.7.6' });
});
