import type { SharedV4Warning } from '@ai-sdk/provider';
import { isPlinthError, orAbort, type PlinthError, plinthError } from '@plinth/core';
import { mediaError } from '@plinth/toolkit';

/** Calls a provider. Rejects with the signal's reason after an abort, else with a coded error. */
export async function callProvider<T>(signal: AbortSignal, provider: string, call: () => PromiseLike<T>): Promise<T> {
	try {
		signal.throwIfAborted();
		return await orAbort(signal, Promise.resolve(call()));
	} catch (error) {
		throw signal.aborted ? signal.reason : failureOf(error, provider);
	}
}

const filtered = /^(?:moderation_blocked|content_policy_violation|content_filter|safety_violation)$/;

/** The coded error for an error of a provider. The provider's error is not the cause: it contains the whole request. */
export function failureOf(error: unknown, provider: string): PlinthError {
	if (isPlinthError(error)) return error;
	const { name, data, message: errorMessage = error } = members(error);
	const { message: reported = errorMessage, code = '' } = members(members(data).error ?? error);
	const message = withoutUrls(`${reported}`);
	const status = statusOf(error);
	const cause = new Error(`${provider} failed${status ? ` with ${status}` : ''}: ${message} ${code}`);
	const refusal = { message: `The model refused the request: ${message}`, cause };
	if (filtered.test(`${code}`)) return mediaError('E_MODERATION_BLOCKED', { message, cause });
	if (code === 'context_length_exceeded') return mediaError('E_CONTEXT_TOO_LONG', { cause, param: 'messages' });
	if (name === 'AI_UnsupportedFunctionalityError') return plinthError('E_VALUE_UNSUPPORTED', refusal);
	if ([400, 413, 422].includes(status)) return plinthError('E_VALUE_INVALID', refusal);
	// At most a minute: the SDKs of clients ignore longer waits.
	const wait = `${members(members(error).responseHeaders)['retry-after'] ?? ''}`;
	const seconds = Math.ceil(/GMT$/.test(wait) ? (Date.parse(wait) - Date.now()) / 1_000 : Number(wait));
	const details = { cause, ...(seconds > 0 ? { headers: { 'retry-after': `${Math.min(60, seconds)}` } } : {}) };
	if (status === 429 && code !== 'insufficient_quota') return plinthError('E_MODEL_BUSY', details);
	if ([408, 504].includes(status)) return plinthError('E_MODEL_TIMEOUT', { cause });
	const isUnreachable = [502, 503, 529].includes(status) || (name === 'AI_APICallError' && status === 0);
	return isUnreachable ? plinthError('E_MODEL_UNAVAILABLE', details) : plinthError('E_MODEL_FAILED', { cause });
}

/** The coded error for an incomplete or invalid response. `what` is only for the log. */
export function invalidAnswer(provider: string, what: string): PlinthError {
	return plinthError('E_MODEL_FAILED', { cause: new Error(`${provider} ${what}`) });
}

/** The status of the response that caused an error of a provider; 0 without a response. */
export function statusOf(error: unknown): number {
	const { name, statusCode } = members(error);
	return (name === 'AI_APICallError' && Number(statusCode)) || 0;
}

/** A text of a provider for clients: without URLs, which may contain ids and signatures, and at most 500 characters. */
export function withoutUrls(text: string): string {
	return text.replace(/\bhttps?:\/\/[^\s"'<>]+/g, 'the provider').slice(0, 500);
}

/** The warnings of a provider as sentences. Those about the seed are left out: every call has one. */
export function sentences(warnings: readonly SharedV4Warning[] = []): string[] {
	return warnings.flatMap((warning) => {
		if (warning.type === 'other') return warning.message || [];
		if (warning.type === 'deprecated') return `${warning.setting}: ${warning.message}`;
		const { feature, details = 'the provider does not support it.' } = warning;
		return feature === 'seed' ? [] : `${feature}: ${details}`;
	});
}

/** Warnings about options of a client that a call cannot express. */
export function notSent(options: Readonly<Record<string, unknown>>): string[] {
	const sentence = (name: string) => (options[name] ? `${name}: the AI SDK has no such option for this model.` : []);
	return Object.keys(options).flatMap(sentence);
}

function members(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
