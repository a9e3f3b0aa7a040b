import { modelError, type PlinthError, plinthError } from '@plinth/core';
import { type Complaint, complaintIn, members } from '../upstream/complaint.ts';
import { knownFailure } from '../upstream/failure.ts';
import type { Scrub } from '../upstream/scrub.ts';

/** How far a server is with a video. */
export type VideoState =
	| { readonly kind: 'working' /** 0 to 1. */; readonly progress: number | undefined }
	| { readonly kind: 'completed' }
	| { readonly kind: 'failed'; readonly status: string; readonly complaint: Complaint };

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

/** Whether a video was stopped. Two attempts of a job share one under its key; the one that lost its lease stops it. */
export function isStopped(state: VideoState): boolean {
	if (state.kind !== 'failed') return false;
	return [state.status, state.complaint.code].some((word = '') => /^(?:cancell?ed|deleted)$/.test(word));
}

/** Reads a server's record of a video. What it has no end of ours for counts as work. */
export function stateOf(record: unknown, scrub: Scrub): VideoState {
	const { status, progress, progress_percent: percent, error } = members(record);
	const word = typeof status === 'string' ? status.toLowerCase() : '';
	if (completed.has(word)) return { kind: 'completed' };
	if (failed.has(word)) {
		return { kind: 'failed', status: word, complaint: complaintIn({ error }, scrub) };
	}
	return { kind: 'working', progress: fractionOf(progress, percent) };
}

/** Whole numbers are percent, also 1; what lies between 0 and 1 is a fraction. */
function fractionOf(progress: unknown, percent: unknown): number | undefined {
	if (typeof percent === 'number') return bounded(percent / 100);
	if (typeof progress !== 'number') return undefined;
	return bounded(Number.isInteger(progress) || progress > 1 ? progress / 100 : progress);
}

function bounded(fraction: number): number | undefined {
	return Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : undefined;
}

/** The error for a video that a server could not make: its own code where that means something to a client. */
export function failureOf({ status, complaint }: Extract<VideoState, { kind: 'failed' }>): PlinthError {
	const { code = '', message } = complaint;
	const cause = new Error(`The server of the model says "${status}": ${complaint.text}`);
	const known = knownFailure(complaint, cause);
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
		? modelError(`The server of the model gave the video up: ${status}.`, cause)
		: plinthError('E_MODEL_FAILED', { cause });
}
