/** What `Retry-After` of a busy or failing model says at most, in seconds; 1 at least. */
export const retryAfterSeconds = 60;

/** The header for a wait of `ms` milliseconds, within 1 to 60 seconds. */
export function retryAfter(ms: number): { readonly 'retry-after': string } {
	const seconds = Math.min(Math.max(Math.ceil(ms / 1000), 1), retryAfterSeconds);
	return { 'retry-after': String(seconds) };
}
