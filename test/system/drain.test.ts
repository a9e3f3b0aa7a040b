import { expect, onTestFailed, test } from 'vitest';
import { type DrainRound, drainDelayMs, drainRound, prepareDrain } from '../support/drain-round.ts';
import { createFleet } from '../support/fleet.ts';
import { seeded } from '../support/seeded.ts';
import { printTable } from '../support/table.ts';

const rounds = process.env.PLINTH_TEST_LONG === '1' ? 200 : 50;
/** Rounds that run in parallel, because a drain is mostly waiting. */
const workers = 2;

test(`${rounds} servers that get SIGTERM under load complete all running requests`, async () => {
	const random = seeded();
	const results: DrainRound[] = [];
	let begun = 0;
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}`));
	const worker = async () => {
		const fleet = await createFleet('drain', { server: { drainDelayMs } });
		try {
			const state = await prepareDrain(fleet);
			while (begun < rounds) {
				begun += 1;
				results.push(await drainRound(state, random, begun % 10 === 0));
			}
		} finally {
			await fleet.remove();
		}
	};
	await Promise.all(Array.from({ length: workers }, worker));

	const sum = (pick: (round: DrainRound) => number) => results.reduce((total, round) => total + pick(round), 0);
	const most = (pick: (round: DrainRound) => number) => Math.max(...results.map(pick));
	const faults = results.flatMap((round) => round.faults);
	printTable(`drains, seed ${random.seed}`, {
		rounds: results.length,
		'faults (resets, cut answers, codes, files)': faults.length,
		'slow requests running at the signal': sum(({ underWay }) => underWay),
		polls: sum(({ polls }) => polls),
		'polls after the listener closed': sum(({ latePolls }) => latePolls),
		'of those reset, not refused': sum(({ lateResets }) => lateResets),
		'signal to 503 of /readyz, at most (ms)': most(({ unreadyAfterMs }) => unreadyAfterMs),
		'signal to exit, at most (ms)': most(({ exitAfterMs }) => exitAfterMs),
	});
	expect(faults).toEqual([]);
	expect(results.length).toBe(rounds);
	expect(sum(({ underWay }) => underWay)).toBeGreaterThan(2 * rounds);
	expect(most(({ exitAfterMs }) => exitAfterMs)).toBeLessThan(18_000);
});
