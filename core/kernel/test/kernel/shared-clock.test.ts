import { silentLogger } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SharedClock } from '../../src/engine/run/shared-clock.ts';

const hourMs = 3_600_000;
let clock: SharedClock;
let storeOffsetMs: number;
let calls: number;

beforeEach(() => {
	vi.useFakeTimers({ now: 1_000_000_000_000 });
	clock = new SharedClock();
	[storeOffsetMs, calls] = [0, 0];
});

afterEach(() => {
	vi.useRealTimers();
});

const store = async () => {
	calls += 1;
	return Date.now() + storeOffsetMs;
};

const offsetMs = () => clock.now() - Date.now();

describe('the clock of several hosts', () => {
	test.each([2 * hourMs, -2 * hourMs])('is that of the store, %i ms away', async (ms) => {
		storeOffsetMs = ms;
		await clock.follow(store, silentLogger());
		expect(offsetMs()).toBe(ms);
	});

	test('is that of the machine while the difference is small', async () => {
		storeOffsetMs = 900;
		await clock.follow(store, silentLogger());
		expect(offsetMs()).toBe(0);
	});

	test('follows when one of the clocks is changed', async () => {
		await clock.follow(store, silentLogger());
		storeOffsetMs = hourMs;
		await vi.advanceTimersByTimeAsync(10_000);
		expect(offsetMs()).toBe(hourMs);
		storeOffsetMs = 0;
		await vi.advanceTimersByTimeAsync(10_000);
		expect(offsetMs()).toBe(0);
	});

	test('keeps its offset while the store does not respond', async () => {
		storeOffsetMs = hourMs;
		let isUnreachable = false;
		await clock.follow(() => (isUnreachable ? Promise.reject(new Error('away')) : store()), silentLogger());
		isUnreachable = true;
		await vi.advanceTimersByTimeAsync(20_000);
		expect(offsetMs()).toBe(hourMs);
		isUnreachable = false;
		storeOffsetMs = 2 * hourMs;
		await vi.advanceTimersByTimeAsync(10_000);
		expect(offsetMs()).toBe(2 * hourMs);
	});

	test('does not call the store after it is stopped', async () => {
		await clock.follow(store, silentLogger());
		clock.stop();
		await vi.advanceTimersByTimeAsync(60_000);
		expect(calls).toBe(1);
	});
});
