import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plant } from '../scripts/mutations/fault.ts';
import { faults } from '../scripts/mutations/faults.ts';

const root = resolve(import.meta.dirname, '..');

// `npm run test:mutations` takes minutes and is no part of CI: what rots without it is found here.
describe('each fault of the mutation tests', () => {
	test('is one of at least 60, under a name of its own', () => {
		expect(faults.length).toBeGreaterThanOrEqual(60);
		expect(new Set(faults.map(({ what }) => what)).size).toBe(faults.length);
	});

	test.each(faults)('$what: can be planted, and names test files', (fault) => {
		const text = readFileSync(join(root, fault.file), 'utf8');
		const planted = plant(fault, text);
		expect(planted).not.toBe(text);
		expect(() => stripTypeScriptTypes(planted)).not.toThrow();
		expect(fault.tests.length).toBeGreaterThan(0);
		expect(fault.tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
	});
});

describe('a fault whose source has changed', () => {
	const stale = { what: 'w', file: 'f.ts', find: 'a;', replace: '', tests: [] };

	test.each(['', 'b;', 'a; a;'])('cannot be planted: %j', (text) => {
		expect(() => plant(stale, text)).toThrow('"w" is stale');
	});

	test('is planted where its text stands once', () => {
		expect(plant({ ...stale, replace: '$&' }, 'x; a; y;')).toBe('x; $& y;');
	});
});
