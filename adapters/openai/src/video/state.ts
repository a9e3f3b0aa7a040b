import { modelError, type PlinthError, plinthError } from '@plinth/core';
import { knownError } from '../upstream/failure.ts';
import { members, type ReportedError, reportedErrorIn } from '../upstream/reported-error.ts';
import type { Scrub } from '../upstream/scrub.ts';

/** The state of a video at the server. */
export type VideoState =
	| { readonly kind: 'working' /** 0 to 1. */; readonly progress: number | undefined }
	| { readonly kind: 'completed' }
	| { readonly kind: 'failed'; readonly status: string; readonly reported: ReportedError };

const completed = new Set(['completed', 'succeeded', 'success', 'done', 'finished', 'complete', 'ready']);
const failed = new Set([
	'failed',
	'error',
	'cancelled',
	'canceled',
	'deleted',
	'expired',
	'rejected',
	'aborted',
	'interrupted',
	'incomplete',
	'killed',
	'timeout',
	'timed_out',
]);

/** Whether a video was cancelled, for example by an earlier attempt of the job that shared its idempotency key. */
export function isStopped(state: VideoState): boolean {
	if (state.kind !== 'failed') return false;
	return [state.status, state.reported.code].some((word = '') => /^(?:cancell?ed|deleted)$/.test(word));
}

/** Parses a server's record of a video. An unknown status counts as `working`. */
export function stateOf(record: unknown, scrub: Scrub): VideoState {
	const { status, progress, progress_percent: percent, error } = members(record);
	const word = typeof status === 'string' ? status.toLowerCase() : '';
	if (completed.has(word)) return { kind: 'completed' };
	if (failed.has(word)) {
		return { kind: 'failed', status: word, reported: reportedErrorIn({ error }, scrub) };
	}
	return { kind: 'working', progress: fractionOf(progress, percent) };
}

/** Integers are percent, also 1. Other numbers below 1 are fractions. */
function fractionOf(progress: unknown, percent: unknown): number | undefined {
	if (typeof percent === 'number') return bounded(percent / 100);
	if (typeof progress !== 'number') return undefined;
	return bounded(Number.isInteger(progress) || progress > 1 ? progress / 100 : progress);
}

function bounded(fraction: number): number | undefined {
	return Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : undefined;
}

/** The coded error for a failed video. Codes that are useful to a client are kept. */
export function failureOf({ status, reported }: Extract<VideoState, { kind: 'failed' }>): PlinthError {
	const { code = '', message } = reported;
	const cause = new Error(`The server of the model says "${status}": ${reported.text}`);
	const known = knownError(reported, cause);
	if (known) return known;
	if (message && /^(?:invalid|unsupported)_/.test(code)) {
		const isUnsupported = code.startsWith('unsupported_');
		return plinthError(isUnsupported ? 'E_VALUE_UNSUPPORTED' : 'E_VALUE_INVALID', {
			message,
			cause,
		});
	}
	const isStopped = status !== 'failed' && status !== 'error';
	return isStopped
		? modelError(`The server of the model ended the video: ${status}.`, cause)
		: plinthError('E_MODEL_FAILED', { cause });
}
