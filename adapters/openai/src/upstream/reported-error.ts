import type { Scrub } from './scrub.ts';

/** The error that a server reported, as far as it can be parsed. */
export interface ReportedError {
	/** At most 500 characters. */
	readonly message?: string;
	readonly code?: string;
	/** The name of the parameter without its path: `messages`, not `messages[1].content`. */
	readonly param?: string;
	/** A text for the log. It never contains the request, which some servers repeat. */
	readonly text: string;
}

const maxLength = 500;
const maxNameLength = 100;
const unreadable = 'no reason that could be read';

/**
 * Parses the body of an error response. Servers use several forms: OpenAI's `{ error: { message, code, param } }`,
 * FastAPI's `{ detail }` with a text or a list of errors, `{ error: "…" }`, `{ message }`, or text that is not JSON.
 */
export function parseReportedError(body: string, scrub: Scrub): ReportedError {
	const value = parsed(body);
	if (value !== undefined) return reportedErrorIn(value, scrub);
	// Invalid or incomplete JSON may repeat the request.
	return { text: /^\s*["[{]/.test(body) ? unreadable : scrub(body).slice(0, maxLength) };
}

/** The same for a value inside a successful response, such as the `error` of a job. */
export function reportedErrorIn(value: unknown, scrub: Scrub): ReportedError {
	const { message, code, param } = rawErrorIn(value);
	const parts = {
		// Secrets are removed before the text is shortened, which could leave a part of a secret.
		...(message ? { message: scrub(message).slice(0, maxLength) } : {}),
		...(code ? { code: scrub(code).slice(0, maxNameLength) } : {}),
		...(param ? { param: scrub(param.replace(/[.[].*$/s, '')).slice(0, maxNameLength) } : {}),
	};
	return { ...parts, text: parts.message ?? parts.code ?? 'no reason' };
}

/** The members of an error, not cut and with secrets. */
interface RawError {
	readonly message: string | undefined;
	readonly code: string | undefined;
	readonly param: string | undefined;
}

function rawErrorIn(value: unknown, isDetail = false): RawError {
	const { error, detail, message } = members(value);
	if (typeof error === 'object' && error !== null) return fromObject(error);
	if (Array.isArray(detail)) return fromErrorList(detail);
	if (typeof detail === 'object' && detail !== null && !isDetail) return rawErrorIn(detail, true);
	const sentence = [error, detail, message].find((each) => typeof each === 'string');
	return fromObject({ ...members(value), message: sentence });
}

function fromObject(value: object): RawError {
	const { message, code, param, type } = members(value);
	// Some servers put the HTTP status, a number, into one of these members.
	return { message: textIn(message), code: textIn(code) ?? textIn(type), param: textIn(param) };
}

/** FastAPI: `[{ loc: ["body", "prompt"], msg: "field required" }]`. */
function fromErrorList(errors: readonly unknown[]): RawError {
	const { loc, msg } = members(errors[0]);
	const names = Array.isArray(loc) ? loc.filter((each) => each !== 'body') : [];
	return fromObject({ message: msg, param: names[0] });
}

function textIn(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return undefined;
	}
}

/** The members of an object; none for other values. */
export function members(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
