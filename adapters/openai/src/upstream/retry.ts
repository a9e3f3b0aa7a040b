import type { Clock } from '@plinth/core';

/** The longest and the shortest wait that a server's own word is taken for, in milliseconds: "at once" would be a loop. */
const longestMs = 60_000;
const shortestMs = 100;
const leastSaidMs = 1_000;
const firstMs = 500;
const mostMs = 8_000;

/** What a wait depends on. */
export interface Wait {
	/** How many tries there were, from 1. */
	readonly tries: number;
	/** What the server said, in milliseconds. */
	readonly saidMs?: number | undefined;
}

/**
 * Milliseconds before the next try: what the server said, a minute at most and up to a tenth later by chance. Where it said nothing, or less than a second, which would soon be a loop:
 * 0.5, 1, 2, … 8 s, less up to a quarter of it by chance.
 */
export function waitMs({ tries, saidMs = 0 }: Wait): number {
	if (saidMs >= leastSaidMs) return later(saidMs);
	return Math.min(mostMs, firstMs * 2 ** (tries - 1)) * (1 - Math.random() / 4);
}

/** A wait that a server has asked for, within bounds, and a little more, so that not all who wait come back at once. */
export function later(ms: number): number {
	return bounded(ms) * (1 + 0.1 * Math.random());
}

/** A wait that a server has asked for, within bounds. */
function bounded(ms: number): number {
	return Math.min(longestMs, Math.max(shortestMs, ms));
}

/** What an answer says about when to come back: `retry-after-ms`, or `retry-after` in seconds or as a date. In milliseconds. */
export function saidWait(
	headers: Readonly<Record<string, string>>,
	now: number,
): number | undefined {
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
