import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isNewEnough, oldestNode } from '../src/node-version.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

test('the oldest Node that starts is the one that the package names', () => {
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

// What a module imports at its beginning is linked before its first line runs: a name that an old Node lacks would be a SyntaxError in place of the message.
test('what old versions of Node have to read imports nothing of Node and of others', () => {
	const imports = (path: string) => [...read(path).matchAll(/^(?:im|ex)port\b.*from '(.*)'/gm)];
	expect(imports('src/main.ts').map(([, from]) => from)).toEqual(['./node-version.ts']);
	expect(imports('src/node-version.ts')).toEqual([]);
});
