import { manualClock } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/contract/ports/clock.ts';
import { sharedTimers } from '../../src/http/shared-timers.ts';

function watched() {
	const manual = manualClock(0);
	let timers = 0;
	const clock: Clock = {
		now: () => manual.now(),
		after(ms, task) {
			timers += 1;
			return manual.after(ms, task);
		},
	};
	const rung: string[] = [];
	const shared = sharedTimers(clock);
	const wait = (ms: number, name: string) =>
		shared.after(ms, () => rung.push(`${name} ${manual.now()}`));
	return { manual, rung, wait, timers: () => timers };
}

describe('shared timers', () => {
	it('ring each wait at its own instant', async () => {
		const { manual, rung, wait } = watched();
		wait(1_000, 'a');
		await manual.advance(30);
		wait(1_000, 'b');
		wait(500, 'c');
		await manual.advance(100);
		wait(1_000, 'd');
		await manual.advance(2_000);
		expect(rung).toEqual(['c 530', 'a 1000', 'b 1030', 'd 1130']);
	});

	it('need one timer for waits of one length that begin together', () => {
		const { wait, timers } = watched();
		for (let i = 0; i < 100; i += 1) wait(1_000, 'a')();
		wait(2_000, 'b');
		expect(timers()).toBe(2);
	});

	it('do not ring what was cancelled, also by a neighbour and in its last moments', async () => {
		const { manual, rung, wait } = watched();
		wait(1_000, 'a')();
		const cancel = wait(1_000, 'b');
		await manual.advance(50);
		const cancelLate = wait(1_000, 'c');
		wait(1_000, 'd');
		cancel();
		await manual.advance(975);
		cancelLate();
		await manual.advance(1_000);
		expect(rung).toEqual(['d 1050']);
	});

	it('cancel the timer of a batch that everybody has left', async () => {
		const manual = manualClock(0);
		let cancelled = 0;
		const shared = sharedTimers({
			now: manual.now,
			after: () => () => {
				cancelled += 1;
			},
		});
		const leave = shared.after(1_000, () => {});
		await manual.advance(200);
		shared.after(1_000, () => {});
		expect(cancelled).toBe(0);
		leave();
		expect(cancelled).toBe(1);
	});

	it('do not care for jumps of the wall clock', async () => {
		const { manual, rung, wait } = watched();
		wait(1_000, 'a');
		manual.jump(-3_600_000);
		wait(1_000, 'b');
		await manual.advance(1_000);
		expect(rung).toHaveLength(2);
		wait(1_000, 'c');
		manual.jump(3_600_000);
		wait(1_000, 'd');
		await manual.advance(999);
		expect(rung).toHaveLength(2);
		await manual.advance(1);
		expect(rung).toHaveLength(4);
	});
});
