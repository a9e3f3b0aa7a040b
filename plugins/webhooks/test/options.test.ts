import type { Logger } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import { defaultWaits, waitAfter, webhookOptions } from '../src/options.ts';
import { retryAfterMs } from '../src/sender.ts';
import { harness } from './harness.ts';

describe('options', () => {
	it.each([
		[undefined, defaultWaits],
		['', defaultWaits],
		[[], defaultWaits],
		['0.5,1,1,2', [500, 1_000, 1_000, 2_000]],
		[' 0 , 60 ', [0, 60_000]],
		[
			[0.5, 3],
			[500, 3_000],
		],
	])('retrySeconds %j', (retrySeconds, waits) => {
		expect(webhookOptions.parse({ retrySeconds }).retrySeconds).toEqual(waits);
	});

	it.each(['x', '1,', '-1', '1;2', [-1], [1e9], 5])('retrySeconds %j are rejected', (retrySeconds) => {
		expect(webhookOptions.safeParse({ retrySeconds }).success).toBe(false);
	});

	it.each([
		[undefined, false],
		['true', true],
		['false', false],
		[true, true],
	])('allowPrivate %j', (allowPrivate, expected) => {
		expect(webhookOptions.parse({ allowPrivate }).allowPrivate).toBe(expected);
	});

	it('allowPrivate is logged at the start, and only then', async () => {
		for (const allowPrivate of [true, false]) {
			const warnings: string[] = [];
			const log: Logger = {
				debug: () => {},
				info: () => {},
				warn: (_, message) => warnings.push(message),
				error: () => {},
				child: () => log,
			};
			await harness({ options: { allowPrivate }, log });
			const own = warnings.filter((message) => message.includes('allowPrivate'));
			expect(own).toHaveLength(allowPrivate ? 1 : 0);
		}
	});
});

describe('a retry wait', () => {
	it('differs from the schedule by up to ten per cent', () => {
		const after = (random: number) => waitAfter({ waits: [1_000], random: () => random }, 1);
		expect([after(0), after(0.5), after(1)]).toEqual([900, 1_000, 1_100]);
	});

	it('does not exist after the last attempt', () => {
		expect(waitAfter({ waits: [1_000], random: () => 0 }, 2)).toBeNull();
	});
});

describe('Retry-After', () => {
	const now = Date.UTC(2026, 0, 1);

	it.each([
		['120', 120_000],
		[' 120 ', 120_000],
		['0', 0],
		[new Date(now + 3_600_000).toUTCString(), 3_600_000],
		[new Date(now - 3_600_000).toUTCString(), 0],
		[new Date(now + 999 * 3_600_000).toUTCString(), 24 * 3_600_000],
		['99999999999999999999', 0],
		['-5', 0],
		['2026-01-02', 0],
		['Xxx, 99 Xxx 2026 00:00:00 GMT', 0],
		[undefined, 0],
	])('%s', (header, ms) => {
		expect(retryAfterMs(header, now)).toBe(ms);
	});
});
