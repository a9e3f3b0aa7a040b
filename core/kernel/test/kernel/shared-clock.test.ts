import { silentLogger } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SharedClock } from '../../src/engine/run/shared-clock.ts';

const hourMs = 3_600_000;
let clock: SharedClock;
let aheadMs: number;
let asked: number;

beforeEach(() => {
	vi.useFakeTimers({ now: 1_000_000_000_000 });
	clock = new SharedClock();
	[aheadMs, asked] = [0, 0];
});

afterEach(() => {
	vi.useRealTimers();
});

const store = async () => {
	asked += 1;
	return Date.now() + aheadMs;
};

const offMs = () => clock.now() - Date.now();

describe('the clock of several hosts', () => {
	test.each([2 * hourMs, -2 * hourMs])('is that of the store, %i ms away', async (ms) => {
		aheadMs = ms;
		await clock.follow(store, silentLogger());
		expect(offMs()).toBe(ms);
	});

	test('is that of the machine while they hardly differ', async () => {
		aheadMs = 900;
		await clock.follow(store, silentLogger());
		expect(offMs()).toBe(0);
	});

	test('follows when one of them is set', async () => {
		await clock.follow(store, silentLogger());
		aheadMs = hourMs;
		await vi.advanceTimersByTimeAsync(10_000);
		expect(offMs()).toBe(hourMs);
		aheadMs = 0;
		await vi.advanceTimersByTimeAsync(10_000);
		expect(offMs()).toBe(0);
	});

	test('stays as it was while the store does not answer', async () => {
		aheadMs = hourMs;
		let isAway = false;
		await clock.follow(() => (isAway ? Promise.reject(new Error('away')) : store()), silentLogger());
		isAway = true;
		await vi.advanceTimersByTimeAsync(20_000);
		expect(offMs()).toBe(hourMs);
		isAway = false;
		aheadMs = 2 * hourMs;
		await vi.advanceTimersByTimeAsync(10_000);
		expect(offMs()).toBe(2 * hourMs);
	});

	test('asks no more once it is stopped', async () => {
		const stop = await clock.follow(store, silentLogger());
		stop();
		await vi.advanceTimersByTimeAsync(60_000);
		expect(asked).toBe(1);
	});
});
