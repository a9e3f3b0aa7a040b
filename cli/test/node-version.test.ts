import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isNewEnough, oldestNode } from '../src/node-version.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

test('the minimum Node version of the start script is the one in package.json', () => {
	expect(JSON.parse(read('package.json')).engines).toEqual({ node: `>=${oldestNode}` });
});

test.each([
	['16.20.2', false],
	['20.20.2', false],
	['22.18.0', false],
	['22.19.0', true],
	['23.0.0', true],
	['24.21.0', true],
	['100.0.0', true],
])('Node %s is new enough: %s', (version, expected) => {
	expect(isNewEnough(version)).toBe(expected);
});

// Imports are linked before the first line runs. A name that an old Node lacks would be a SyntaxError instead of the
// message.
test('modules that old Node versions load import no Node modules and no packages', () => {
	const imports = (path: string) => [...read(path).matchAll(/^(?:im|ex)port\b.*from '(.*)'/gm)];
	expect(imports('src/main.ts').map(([, from]) => from)).toEqual(['./node-version.ts']);
	expect(imports('src/node-version.ts')).toEqual([]);
});
