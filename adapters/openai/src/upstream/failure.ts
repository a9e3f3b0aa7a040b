import { type PlinthError, plinthError } from '@plinth/core';
import { mediaError } from '@plinth/toolkit';
import type { ReportedError } from './reported-error.ts';

/** An error response of a server: the `cause`, for the log, of the error that the client receives. */
export class ErrorResponse extends Error {
	override readonly name = 'ErrorResponse';
	readonly status: number;
	readonly reported: ReportedError;

	constructor(where: string, status: number, reported: ReportedError) {
		const code = reported.code ? ` (${reported.code})` : '';
		super(`${where} answered ${status}${code}: ${reported.text}`);
		this.status = status;
		this.reported = reported;
	}
}

/** The error response that caused a coded error; undefined without one. */
export function errorResponseOf(error: unknown): ErrorResponse | undefined {
	const { cause } = (error ?? {}) as { readonly cause?: unknown };
	return cause instanceof ErrorResponse ? cause : undefined;
}

/** The status of the error response that caused a coded error; undefined without one. */
export function statusOf(error: unknown): number | undefined {
	return errorResponseOf(error)?.status;
}

/** Maximum `Retry-After` for a client, in seconds. The SDKs ignore longer ones. */
const maxRetryAfterSeconds = 60;

/** The origin of the members of a refused request. */
export interface Origins {
	/** The client's parameters; the error may name one. Undefined: nothing in the request comes from the client. */
	readonly params?: ReadonlySet<string> | undefined;
	/** Names of members that the config or this adapter has added. */
	readonly ownMembers?: ReadonlySet<string> | undefined;
}

/**
 * The coded error for an error response. An error in the client's part of the request becomes a 4xx, with the parameter
 * when the client sent it. Other errors become a 5xx without details.
 */
export function responseError(cause: ErrorResponse, origins: Origins, retryAfterMs?: number): PlinthError {
	const { status, reported } = cause;
	const wait = retryAfter(retryAfterMs);
	if (status === 429 && reported.code !== 'insufficient_quota') {
		return plinthError('E_MODEL_BUSY', { cause, ...wait });
	}
	if (status === 413 && origins.params) {
		const message = 'The request is larger than the server of the model accepts.';
		return plinthError('E_BODY_TOO_LARGE', { message, cause });
	}
	if (status === 408 || status === 504 || status === 524) return plinthError('E_MODEL_TIMEOUT', { cause });
	if (unavailableStatuses.has(status)) return plinthError('E_MODEL_UNAVAILABLE', { cause, ...wait });
	if (status === 400 || status === 422) return refusal(cause, origins);
	return plinthError('E_MODEL_FAILED', { cause });
}

/** Codes of servers for a request that a filter refused. */
const filteredCodes = new Set(['moderation_blocked', 'content_policy_violation', 'content_filter', 'safety_violation']);

/** The coded error for a reported error with a known code or message; undefined for others. */
export function knownError(reported: ReportedError, cause: unknown): PlinthError | undefined {
	const { code = '', message = '' } = reported;
	const details = { cause, ...(message ? { message } : {}) };
	if (filteredCodes.has(code)) return mediaError('E_MODERATION_BLOCKED', details);
	if (tooLongCodes.has(code) || (tooLongMessages.test(message) && !isAnswerLimit(reported.param))) {
		return mediaError('E_CONTEXT_TOO_LONG', { cause, param: 'messages' });
	}
	return undefined;
}

/** Codes of OpenAI and llama.cpp for a conversation that is too long. */
const tooLongCodes = new Set(['context_length_exceeded', 'exceed_context_size_error']);
/** Messages of vLLM and SGLang for the same, which have no code. */
const tooLongMessages = /maximum context length|longer than the model's context length/i;

/** Whether the token limit of the answer is the cause, and not the conversation. */
function isAnswerLimit(param: string | undefined): boolean {
	return param === 'max_tokens' || param === 'max_completion_tokens';
}

function refusal(cause: ErrorResponse, { params, ownMembers }: Origins): PlinthError {
	const { reported } = cause;
	const isOwnMember = reported.param === 'model' || ownMembers?.has(reported.param ?? '');
	// The config chooses the name of the model.
	if (!params || isOwnMember || reported.code === 'model_not_found') return plinthError('E_MODEL_FAILED', { cause });
	const known = knownError(reported, cause);
	if (known) return known;
	const { param, message } = reported;
	const isUnsupported = reported.code?.startsWith('unsupported_') ?? false;
	return plinthError(isUnsupported ? 'E_VALUE_UNSUPPORTED' : 'E_VALUE_INVALID', {
		cause,
		message: message ? `The model refused the request: ${message}` : 'The model refused the request.',
		...(param && params.has(param) ? { param } : {}),
	});
}

const unavailableStatuses = new Set([502, 503, 520, 521, 522, 523, 529]);

function retryAfter(ms: number | undefined): { headers?: Readonly<Record<string, string>> } {
	if (ms === undefined) return {};
	const seconds = Math.min(maxRetryAfterSeconds, Math.max(1, Math.ceil(ms / 1_000)));
	return { headers: { 'retry-after': `${seconds}` } };
}

/** The coded error for a connection that failed before a response began. */
export function connectionError(where: string, cause: unknown): PlinthError {
	return plinthError('E_MODEL_UNAVAILABLE', { cause: new Error(`${where} cannot be reached`, { cause }) });
}

/** The coded error for a server that sends nothing in time. */
export function timeoutError(where: string): PlinthError {
	return plinthError('E_MODEL_TIMEOUT', { cause: new Error(`${where} was silent for too long`) });
}

/** The coded error for an incomplete or invalid response. `what` is only for the log. */
export function invalidResponse(where: string, what: string, cause?: unknown): PlinthError {
	return plinthError('E_MODEL_FAILED', { cause: new Error(`${where} ${what}`, { cause }) });
}
