import type { Clock } from '@plinth/core';

/** Limits of a wait that a server states, in milliseconds. */
const maxStatedMs = 60_000;
const minWaitMs = 100;
/** Shorter stated waits, in milliseconds, are ignored. */
const minStatedMs = 1_000;
const firstWaitMs = 500;
const maxWaitMs = 8_000;

/**
 * Milliseconds before the next attempt. A wait that the server states is limited to a minute, plus up to 10 % of
 * jitter. Without one, or below a second: 0.5, 1, 2, … 8 s by the number of attempts, less up to 25 % of jitter.
 */
export function waitMs(tries: number, statedMs = 0): number {
	if (statedMs >= minStatedMs) return withJitter(statedMs);
	return Math.min(maxWaitMs, firstWaitMs * 2 ** (tries - 1)) * (1 - Math.random() / 4);
}

/** A stated wait within limits, plus jitter, so that clients do not retry at the same time. */
export function withJitter(ms: number): number {
	return Math.min(maxStatedMs, Math.max(minWaitMs, ms)) * (1 + 0.1 * Math.random());
}

/** The wait that a response states, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function statedWaitMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
	const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
	if (exact >= 0) return exact;
	const text = headers['retry-after'] ?? '';
	const seconds = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
	if (seconds >= 0) return seconds * 1_000;
	// `Date.parse` accepts many texts that are no dates.
	const date = /[a-z]{3}.*GMT\s*$/i.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Waits; rejects with the signal's reason when the signal aborts. */
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
