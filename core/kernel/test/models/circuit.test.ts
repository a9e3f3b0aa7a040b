import { manualClock } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { type CallOutcome, Circuit } from '../../src/models/circuit.ts';

function circuit(failures = 3, seconds = 30) {
	const clock = manualClock();
	const reported: string[] = [];
	const breaker = new Circuit({ failures, seconds }, clock, (isOpen) => {
		reported.push(isOpen ? 'opened' : 'closed');
	});
	const turns = (...ends: CallOutcome[]) => {
		for (const end of ends) breaker.end(breaker.begin(), end);
	};
	return { clock, reported, breaker, turns };
}

describe('a circuit', () => {
	test('opens after the configured number of failures in a row, and reports it once', () => {
		const { breaker, reported, turns } = circuit();
		turns('failed', 'failed', 'answered', 'failed', 'failed');
		expect([breaker.health, breaker.allowsCall]).toEqual(['up', true]);
		turns('failed');
		expect([breaker.health, breaker.allowsCall, breaker.waitMs]).toEqual(['down', false, 30_000]);
		expect(reported).toEqual(['opened']);
	});

	test('ignores turns without an outcome in its count', () => {
		const { breaker, turns } = circuit();
		turns('failed', 'unknown', 'failed', 'unknown', 'failed');
		expect(breaker.health).toBe('down');
	});

	test('allows one trial at a time after its wait', async () => {
		const { breaker, clock, turns } = circuit();
		turns('failed', 'failed', 'failed');
		await clock.advance(29_999);
		expect([breaker.health, breaker.allowsCall, breaker.waitMs]).toEqual(['down', false, 1]);
		await clock.advance(1);
		expect([breaker.health, breaker.allowsCall]).toEqual(['trying', true]);
		breaker.begin();
		expect([breaker.health, breaker.allowsCall]).toEqual(['trying', false]);
	});

	test('closes when a trial succeeds, and restarts its count', async () => {
		const { breaker, clock, reported, turns } = circuit();
		turns('failed', 'failed', 'failed');
		await clock.advance(30_000);
		turns('answered', 'failed', 'failed');
		expect([breaker.health, reported]).toEqual(['up', ['opened', 'closed']]);
	});

	test('opens again when a trial fails, and does not report it again', async () => {
		const { breaker, clock, reported, turns } = circuit();
		turns('failed', 'failed', 'failed');
		await clock.advance(30_000);
		turns('failed');
		expect([breaker.health, breaker.waitMs, reported]).toEqual(['down', 30_000, ['opened']]);
	});

	test('allows another trial after one without an outcome, and ignores the late outcome', async () => {
		const { breaker, clock, turns } = circuit();
		turns('failed', 'failed', 'failed');
		await clock.advance(30_000);
		const trial = breaker.begin();
		breaker.end(trial, 'unknown');
		expect([breaker.health, breaker.allowsCall]).toEqual(['trying', true]);
		breaker.end(trial, 'failed');
		expect(breaker.health).toBe('trying');
	});

	test('ignores turns that started before it opened', async () => {
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

	test('waits the same time when the wall clock is set back', async () => {
		const { breaker, clock, turns } = circuit();
		turns('failed', 'failed', 'failed');
		clock.jump(-3_600_000);
		await clock.advance(30_000);
		expect(breaker.allowsCall).toBe(true);
	});
});
