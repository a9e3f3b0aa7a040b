import { expect, onTestFailed, test } from 'vitest';
import { type DrainRound, drainDelayMs, drainRound, drainScene } from '../support/drain-round.ts';
import { createFleet } from '../support/fleet.ts';
import { seeded } from '../support/seeded.ts';
import { printTable } from '../support/table.ts';

const rounds = process.env.PLINTH_TEST_LONG === '1' ? 200 : 50;
/** Rounds beside each other: a drain mostly waits. */
const lanes = 2;

test(`${rounds} servers that get SIGTERM with everything under way let all of it finish`, async () => {
	const random = seeded();
	const shown: DrainRound[] = [];
	let begun = 0;
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}`));
	const lane = async () => {
		const fleet = await createFleet('drain', { server: { drainDelayMs } });
		try {
			const scene = await drainScene(fleet);
			while (begun < rounds) {
				begun += 1;
				shown.push(await drainRound(scene, random, begun % 10 === 0));
			}
		} finally {
			await fleet.remove();
		}
	};
	await Promise.all(Array.from({ length: lanes }, lane));

	const sum = (pick: (round: DrainRound) => number) => shown.reduce((total, round) => total + pick(round), 0);
	const most = (pick: (round: DrainRound) => number) => Math.max(...shown.map(pick));
	const faults = shown.flatMap((round) => round.faults);
	printTable(`drains, seed ${random.seed}`, {
		rounds: shown.length,
		'faults (resets, cut answers, codes, files)': faults.length,
		'slow requests under way at the signal': sum(({ underWay }) => underWay),
		polls: sum(({ polls }) => polls),
		'polls once the listener closes': sum(({ latePolls }) => latePolls),
		'of those reset, not refused': sum(({ lateResets }) => lateResets),
		'signal to red readiness, at most (ms)': most(({ redAfterMs }) => redAfterMs),
		'signal to exit, at most (ms)': most(({ exitAfterMs }) => exitAfterMs),
	});
	expect(faults).toEqual([]);
	expect(shown.length).toBe(rounds);
	expect(sum(({ underWay }) => underWay)).toBeGreaterThan(2 * rounds);
	expect(most(({ exitAfterMs }) => exitAfterMs)).toBeLessThan(18_000);
});
