import { isPlinthError } from '../contract/errors/coded-error.ts';

const failures: ReadonlySet<string> = new Set([
	'E_MODEL_FAILED',
	'E_MODEL_BUSY',
	'E_MODEL_UNAVAILABLE',
	'E_MODEL_TIMEOUT',
]);

/** Whether it was the model that failed, so that another one may do better: by its code, or for want of one. */
export function isModelFailure(error: unknown): boolean {
	return !isPlinthError(error) || failures.has(error.code);
}

/** Whether the model will not do what this caller asks for: a coded error of the client, 4xx, that is no failure. */
export function isRefusal(error: unknown): boolean {
	return isPlinthError(error) && !isModelFailure(error) && error.spec.status < 500;
}

/** The code for a log line; null when there is none. */
export function codeOf(error: unknown): string | null {
	return isPlinthError(error) ? error.code : null;
}
