const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long to wait after each failed attempt, in milliseconds. The first attempt comes at once. */
export const defaultWaits: readonly number[] = [
	5 * second,
	5 * minute,
	30 * minute,
	2 * hour,
	5 * hour,
	10 * hour,
	10 * hour,
];

/** When failed attempts are repeated. */
export interface Schedule {
	readonly waits: readonly number[];
	/** From 0 up to 1, as `Math.random` gives it. */
	readonly random: () => number;
}

/** The wait after so many failed attempts, ten per cent shorter to ten per cent longer, so that receivers that come back are not met by all at once; null when it was the last attempt. */
export function waitAfter({ waits, random }: Schedule, tries: number): number | null {
	const wait = waits[tries - 1];
	return wait === undefined ? null : Math.round(wait * (0.9 + 0.2 * random()));
}
