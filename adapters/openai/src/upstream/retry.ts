import type { Clock } from '@plinth/core';

/** The bounds of a wait that a server asks for, in milliseconds. */
const longestMs = 60_000;
const shortestMs = 100;
/** Less than this, in milliseconds, would soon be a loop. */
const leastStatedMs = 1_000;
const firstMs = 500;
const mostMs = 8_000;

/**
 * Milliseconds before the next try, after so many tries: what the server said, a minute at most and up to a tenth
 * later by chance. Where it said nothing, or less than a second: 0.5, 1, 2, … 8 s, less up to a quarter of it by
 * chance.
 */
export function waitMs(tries: number, statedMs = 0): number {
	if (statedMs >= leastStatedMs) return withJitter(statedMs);
	return Math.min(mostMs, firstMs * 2 ** (tries - 1)) * (1 - Math.random() / 4);
}

/** A wait that a server has asked for, within bounds, and a little more, so that not all come back at once. */
export function withJitter(ms: number): number {
	return Math.min(longestMs, Math.max(shortestMs, ms)) * (1 + 0.1 * Math.random());
}

/** Milliseconds that an answer asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function statedWaitMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
	const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
	if (exact >= 0) return exact;
	const text = headers['retry-after'] ?? '';
	const seconds = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
	if (seconds >= 0) return seconds * 1_000;
	// A parser of dates finds years in anything.
	const date = /[a-z]{3}.*GMT\s*$/i.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Waits by the clock; rejects with the signal's reason when that aborts. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal.aborted) return reject(signal.reason);
		const stop = () => {
			cancel();
			reject(signal.reason);
		};
		const cancel = clock.after(ms, () => {
			signal.removeEventListener('abort', stop);
			resolve();
		});
		signal.addEventListener('abort', stop, { once: true });
	});
}
