import { isPlinthError } from '../contract/errors/coded-error.ts';

const failures = new Set<string>(['E_MODEL_FAILED', 'E_MODEL_BUSY', 'E_MODEL_UNAVAILABLE', 'E_MODEL_TIMEOUT']);

/** Whether the model failed, so that another one may succeed: by the error's code, or because it has none. */
export function isModelFailure(error: unknown): boolean {
	return !isPlinthError(error) || failures.has(error.code);
}

/** Whether the model refused the request: a coded 4xx error that is not a failure of the model. */
export function isRefusal(error: unknown): boolean {
	return isPlinthError(error) && !isModelFailure(error) && error.spec.status < 500;
}

export function codeOf(error: unknown): string | null {
	return isPlinthError(error) ? error.code : null;
}

/** The largest `Retry-After` of a busy or failing model, in seconds; the smallest is 1. */
export const retryAfterSeconds = 60;

/** The header for a wait of `ms` milliseconds, within 1 to 60 seconds. */
export function retryAfter(ms: number): { readonly 'retry-after': string } {
	const seconds = Math.min(Math.max(Math.ceil(ms / 1000), 1), retryAfterSeconds);
	return { 'retry-after': String(seconds) };
}
