/** The longest wait that a receiver may ask for, in milliseconds. */
export const longestRetryAfterMs = 24 * 60 * 60 * 1000;

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** How long a `Retry-After` asks to wait (RFC 9110 §10.2.3: seconds or a date), in milliseconds, 24 hours at most; 0 for what is neither. */
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
