import { expect, test } from 'vitest';
import { waitMs, withJitter } from '../src/upstream/retry.ts';

const day = 86_400_000;
/** The longest wait that an upstream can request, with the jitter of a tenth. */
const longestMs = 66_000;

test('a wait is at most one minute, whatever the upstream requests', () => {
	for (const saidMs of [60_001, day, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
		expect(waitMs(1, saidMs)).toBeLessThanOrEqual(longestMs);
		expect(withJitter(saidMs)).toBeLessThanOrEqual(longestMs);
		expect(withJitter(saidMs)).toBeGreaterThanOrEqual(60_000);
	}
});

test('without a retry-after header, the waits grow up to eight seconds', () => {
	for (const tries of [1, 5, 50, 5_000]) expect(waitMs(tries)).toBeLessThanOrEqual(8_000);
	expect(waitMs(5_000)).toBeGreaterThanOrEqual(6_000);
});
