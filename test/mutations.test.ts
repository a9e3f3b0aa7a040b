import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plant } from '../scripts/mutations/fault.ts';
import { faults } from '../scripts/mutations/faults.ts';

const root = resolve(import.meta.dirname, '..');

// `npm run test:mutations` takes minutes and is not part of CI. This test finds faults that no longer match the
// sources.
describe('each fault of the mutation tests', () => {
	test('is one of at least 60, with a unique name', () => {
		expect(faults.length).toBeGreaterThanOrEqual(60);
		expect(new Set(faults.map(({ what }) => what)).size).toBe(faults.length);
	});

	test.each(faults)('$what: can be applied, and lists existing test files', (fault) => {
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

	test.each(['', 'b;', 'a; a;'])('cannot be applied: %j', (text) => {
		expect(() => plant(stale, text)).toThrow('"w" is stale');
	});

	test('is applied where its text occurs once', () => {
		expect(plant({ ...stale, replace: '$&' }, 'x; a; y;')).toBe('x; $& y;');
	});
});
