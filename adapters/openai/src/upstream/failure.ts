import { type PlinthError, plinthError } from '@plinth/core';
import { mediaError } from '@plinth/toolkit';
import type { Complaint } from './complaint.ts';

/** An answer of a server that is no success: the `cause`, for the log, of the error that the client sees. */
export class UpstreamAnswered extends Error {
	override readonly name = 'UpstreamAnswered';
	readonly status: number;
	readonly complaint: Complaint;

	constructor(where: string, status: number, complaint: Complaint) {
		const said = complaint.code ? ` (${complaint.code})` : '';
		super(`${where} answered ${status}${said}: ${complaint.text}`);
		this.status = status;
		this.complaint = complaint;
	}
}

/** What a server answered, when that is behind an error of ours. */
export function answerBehind(error: unknown): UpstreamAnswered | undefined {
	const { cause } = (error ?? {}) as { readonly cause?: unknown };
	return cause instanceof UpstreamAnswered ? cause : undefined;
}

/** The status that a server answered with, when that is behind an error of ours. */
export function statusBehind(error: unknown): number | undefined {
	return answerBehind(error)?.status;
}

/** The longest `Retry-After` for a client, in seconds: the SDKs ignore longer ones. */
const longestWait = 60;

/** Whose the members of a request were that was refused. */
export interface Origins {
	/** The client's parameters, of which the error may name one. Undefined: nothing of the request was the client's. */
	readonly params?: ReadonlySet<string> | undefined;
	/** Names of what the operator or we have put in. */
	readonly ours?: ReadonlySet<string> | undefined;
}

/**
 * The error for an answer that is none. What is wrong with the client's part of the request becomes the client's 4xx,
 * with the parameter when it is one of its own; what is wrong between this server and that one is told without
 * details.
 */
export function answerFailure(cause: UpstreamAnswered, origins: Origins, retryAfterMs?: number): PlinthError {
	const { status, complaint } = cause;
	const waits = retryAfter(retryAfterMs);
	if (status === 429 && complaint.code !== 'insufficient_quota') {
		return plinthError('E_MODEL_BUSY', { cause, ...waits });
	}
	if (status === 413 && origins.params) {
		const message = 'The request is larger than the server of the model takes.';
		return plinthError('E_BODY_TOO_LARGE', { message, cause });
	}
	if (status === 408 || status === 504 || status === 524) return plinthError('E_MODEL_TIMEOUT', { cause });
	if (unready.has(status)) {
		return plinthError('E_MODEL_UNAVAILABLE', { cause, ...waits });
	}
	if (status === 400 || status === 422) return refusal(cause, origins);
	return plinthError('E_MODEL_FAILED', { cause });
}

/** Codes by which servers say that a filter has refused. */
const filtered = new Set(['moderation_blocked', 'content_policy_violation', 'content_filter', 'safety_violation']);

/** The error for a complaint with a code or a sentence that is known; undefined for every other one. */
export function knownFailure(complaint: Complaint, cause: unknown): PlinthError | undefined {
	const { code = '', message = '' } = complaint;
	const details = { cause, ...(message ? { message } : {}) };
	if (filtered.has(code)) return mediaError('E_MODERATION_BLOCKED', details);
	if (tooLong.has(code) || (tooLongWords.test(message) && !isBound(complaint.param))) {
		return mediaError('E_CONTEXT_TOO_LONG', { cause, param: 'messages' });
	}
	return undefined;
}

/** What OpenAI and llama.cpp call a conversation that is too long. */
const tooLong = new Set(['context_length_exceeded', 'exceed_context_size_error']);
/** The same in the sentences of vLLM and SGLang, which have no code for it. */
const tooLongWords = /maximum context length|longer than the model's context length/i;

/** Whether the bound on the answer was at fault, and not the conversation. */
function isBound(param: string | undefined): boolean {
	return param === 'max_tokens' || param === 'max_completion_tokens';
}

function refusal(cause: UpstreamAnswered, { params, ours }: Origins): PlinthError {
	const { complaint } = cause;
	const isOurs = complaint.param === 'model' || ours?.has(complaint.param ?? '');
	// Names of models are the operator's choice.
	if (!params || isOurs || complaint.code === 'model_not_found') {
		return plinthError('E_MODEL_FAILED', { cause });
	}
	const known = knownFailure(complaint, cause);
	if (known) return known;
	const { param, message } = complaint;
	const isUnsupported = complaint.code?.startsWith('unsupported_') ?? false;
	return plinthError(isUnsupported ? 'E_VALUE_UNSUPPORTED' : 'E_VALUE_INVALID', {
		cause,
		message: message ? `The model refused the request: ${message}` : 'The model refused the request.',
		...(param && params.has(param) ? { param } : {}),
	});
}

const unready = new Set([502, 503, 520, 521, 522, 523, 529]);

function retryAfter(ms: number | undefined): { headers?: Readonly<Record<string, string>> } {
	if (ms === undefined) return {};
	const seconds = Math.min(longestWait, Math.max(1, Math.ceil(ms / 1_000)));
	return { headers: { 'retry-after': `${seconds}` } };
}

/** The error for a connection that could not be made, or was lost before the answer began. */
export function lossFailure(where: string, cause: unknown): PlinthError {
	return plinthError('E_MODEL_UNAVAILABLE', {
		cause: new Error(`${where} cannot be reached`, { cause }),
	});
}

/** The error for a server that is silent for too long. */
export function silenceFailure(where: string): PlinthError {
	return plinthError('E_MODEL_TIMEOUT', {
		cause: new Error(`${where} was silent for too long`),
	});
}

/** The error for an answer that broke off, or is not what it should be. `what` stays in the log. */
export function brokenAnswer(where: string, what: string, cause?: unknown): PlinthError {
	return plinthError('E_MODEL_FAILED', { cause: new Error(`${where} ${what}`, { cause }) });
}
