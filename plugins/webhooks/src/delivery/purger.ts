import type { Clock, Logger } from '@plinth/core';
import type { DueEntry, DueList } from '../deliveries/due.ts';
import type { Deliveries } from '../deliveries/store.ts';
import { Rounds } from './rounds.ts';

const everyMs = 60_000;
const pageSize = 50;

/** What the purger works with. */
export interface PurgerTools {
	readonly due: DueList;
	readonly deliveries: Deliveries;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Deletes deliveries that have ended long enough ago: looks at its start, and then every minute. */
export function createPurger({ due, deliveries, clock, log }: PurgerTools): Rounds {
	const rounds: Rounds = new Rounds({
		clock,
		log,
		everyMs,
		complaint: 'ended webhook deliveries could not be deleted; tried again in a minute',
		async round() {
			let after: DueEntry | undefined;
			while (!rounds.isStopped) {
				const { entries } = await due.page('purge', after, pageSize);
				const ripe = entries.filter(({ at }) => at <= clock.now());
				await Promise.all(ripe.map((entry) => deliveries.purge(entry)));
				if (ripe.length < pageSize) break;
				after = ripe.at(-1);
			}
			return undefined;
		},
	});
	return rounds;
}
