import { errors, type JobError } from '@plinth/core';

/** The error of a job that the store itself ends. */
export function ended({ code, message }: { readonly code: string; readonly message: string }) {
	return { error: JSON.stringify({ code, message } satisfies JobError), code };
}

const cancelled = ended(errors.E_JOB_CANCELLED);
const exhausted = ended(errors.E_JOB_ATTEMPTS);
/** The errors of jobs that `take` ends because they may not run again. */
export const spent = {
	cancelled: cancelled.error,
	cancelled_code: cancelled.code,
	exhausted: exhausted.error,
	exhausted_code: exhausted.code,
};
