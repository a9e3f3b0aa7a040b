import { manualClock } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { type CallOutcome, Circuit } from '../../src/models/circuit.ts';

function circuit(failures = 3, seconds = 30) {
	const clock = manualClock();
	const told: string[] = [];
	const breaker = new Circuit({ failures, seconds }, clock, (isOpen) => {
		told.push(isOpen ? 'opened' : 'closed');
	});
	const turns = (...ends: CallOutcome[]) => {
		for (const end of ends) breaker.end(breaker.begin(), end);
	};
	return { clock, told, breaker, turns };
}

describe('a circuit', () => {
	test('opens after the failures in a row that it is set to, and says so once', () => {
		const { breaker, told, turns } = circuit();
		turns('failed', 'failed', 'answered', 'failed', 'failed');
		expect([breaker.health, breaker.allowsCall]).toEqual(['up', true]);
		turns('failed');
		expect([breaker.health, breaker.allowsCall, breaker.waitMs]).toEqual(['down', false, 30_000]);
		expect(told).toEqual(['opened']);
	});

	test('counts past turns that say nothing', () => {
		const { breaker, turns } = circuit();
		turns('failed', 'unknown', 'failed', 'unknown', 'failed');
		expect(breaker.health).toBe('down');
	});

	test('lets one trial through at a time when its wait is over', async () => {
		const { breaker, clock, turns } = circuit();
		turns('failed', 'failed', 'failed');
		await clock.advance(29_999);
		expect([breaker.health, breaker.allowsCall, breaker.waitMs]).toEqual(['down', false, 1]);
		await clock.advance(1);
		expect([breaker.health, breaker.allowsCall]).toEqual(['trying', true]);
		breaker.begin();
		expect([breaker.health, breaker.allowsCall]).toEqual(['trying', false]);
	});

	test('closes when a trial succeeds, and counts afresh', async () => {
		const { breaker, clock, told, turns } = circuit();
		turns('failed', 'failed', 'failed');
		await clock.advance(30_000);
		turns('answered', 'failed', 'failed');
		expect([breaker.health, told]).toEqual(['up', ['opened', 'closed']]);
	});

	test('opens again when a trial fails, and does not say it again', async () => {
		const { breaker, clock, told, turns } = circuit();
		turns('failed', 'failed', 'failed');
		await clock.advance(30_000);
		turns('failed');
		expect([breaker.health, breaker.waitMs, told]).toEqual(['down', 30_000, ['opened']]);
	});

	test('gives the next one a trial when the last said nothing, whatever becomes of that one', async () => {
		const { breaker, clock, turns } = circuit();
		turns('failed', 'failed', 'failed');
		await clock.advance(30_000);
		const left = breaker.begin();
		breaker.end(left, 'unknown');
		expect([breaker.health, breaker.allowsCall]).toEqual(['trying', true]);
		breaker.end(left, 'failed');
		expect(breaker.health).toBe('trying');
	});

	test('does not listen to turns that began before it opened', async () => {
		const { breaker, clock, turns } = circuit();
		const early = [breaker.begin(), breaker.begin()];
		turns('failed', 'failed', 'failed');
		breaker.end(early[0] ?? 0, 'answered');
		expect(breaker.health).toBe('down');
		await clock.advance(30_000);
		breaker.begin();
		breaker.end(early[1] ?? 0, 'failed');
		expect([breaker.health, breaker.allowsCall]).toEqual(['trying', false]);
	});

	test('waits as long when the wall clock is set back', async () => {
		const { breaker, clock, turns } = circuit();
		turns('failed', 'failed', 'failed');
		clock.jump(-3_600_000);
		await clock.advance(30_000);
		expect(breaker.allowsCall).toBe(true);
	});
});
