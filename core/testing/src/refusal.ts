import assert from 'node:assert/strict';
import { isPlinthError } from '@plinth/core';

/** Fails unless an error is a refusal: coded, with a status of 400 to 499. For conformance suites. */
export function assertRefusal(error: unknown): void {
	assert(isPlinthError(error), `it was refused with ${error}, which has no code`);
	const { status } = error.spec;
	assert(
		status >= 400 && status < 500,
		`it was refused with the status ${status}: ${error.message}`,
	);
}
