import { describe, expect, test } from 'vitest';
import { instantOf } from '../src/instant.ts';

const now = Date.UTC(2026, 0, 31, 12);

describe('a time on the command line', () => {
	test.each([
		['12h', '2026-02-01T00:00:00.000Z'],
		['30d', '2026-03-02T12:00:00.000Z'],
		['2026-02-01', '2026-02-01T00:00:00.000Z'],
		['2026-02-01T18:30Z', '2026-02-01T18:30:00.000Z'],
		['2026-02-01T18:30:15Z', '2026-02-01T18:30:15.000Z'],
		['2026-02-01T18:30:15+02:00', '2026-02-01T16:30:15.000Z'],
		['2026-02-01T18:30:15', '2026-02-01T18:30:15.000Z'],
	])('%s is %s', (text, instant) => {
		expect(new Date(instantOf(text, now)).toISOString()).toBe(instant);
	});

	test.each([
		...['', 'soon', '30', '30m', '-1d', '1.5h', '1d2h', ' 1d', '1e3h', '9999999d', '2026'],
		...['2026-02-30', '2026-13-01', '2026-2-1', '2026-02-01T25:00Z', '2026-02-01 10:00', '01.02.2027'],
	])('"%s" is rejected', (text) => {
		expect(() => instantOf(text, now)).toThrow(/is not a time.*12h, 30d/);
	});

	test.each(['0h', '0d', '2026-01-31', '2026-01-31T12:00:00Z', '1999-12-31'])(
		'%s is rejected because it is in the past',
		(text) => {
			expect(() => instantOf(text, now)).toThrow(/is in the past/);
		},
	);
});
