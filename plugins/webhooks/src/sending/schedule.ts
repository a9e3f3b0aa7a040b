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

/**
 * The wait after so many failed attempts, ten per cent shorter to ten per cent longer, so that receivers that come back
 * are not met by all at once; null when it was the last attempt.
 */
export function waitAfter({ waits, random }: Schedule, tries: number): number | null {
	const wait = waits[tries - 1];
	return wait === undefined ? null : Math.round(wait * (0.9 + 0.2 * random()));
}

/** The longest wait that a receiver may ask for, in milliseconds. */
export const longestRetryAfterMs = 24 * hour;

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long a `Retry-After` asks to wait (RFC 9110 §10.2.3: seconds or a date), in milliseconds, 24 hours at most; 0 for
 * what is neither.
 */
export function retryAfterMs(header: string | undefined, now: number): number {
	const text = header?.trim() ?? '';
	const ms = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : untilDate(text, now);
	return Math.min(ms, longestRetryAfterMs);
}

function untilDate(text: string, now: number): number {
	if (!httpDate.test(text)) return 0;
	const date = Date.parse(text);
	return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
