import type { Scrub } from './scrub.ts';

/** What a server says about a failure, as far as it can be made out. */
export interface Complaint {
	/** A sentence, at most 500 characters. */
	readonly message?: string;
	readonly code?: string;
	/** The name of the parameter at fault, without what stands inside it: `messages`, not `messages[1].content`. */
	readonly param?: string;
	/** What the log may have of it: never the request, which some servers repeat. */
	readonly text: string;
}

const longest = 500;
const longestName = 100;
const unread = 'no reason that could be read';

/**
 * Reads the body of a failure. Servers say it in many ways: OpenAI's `{ error: { message, code, param } }`, FastAPI's
 * `{ detail }` with a text or a list of places, `{ error: "…" }`, `{ message }`, or no JSON at all.
 */
export function complaintOf(body: string, scrub: Scrub): Complaint {
	const value = parsed(body);
	if (value !== undefined) return complaintIn(value, scrub);
	// JSON that was cut off, or is none, may repeat the request.
	return { text: /^\s*["[{]/.test(body) ? unread : scrub(body).slice(0, longest) };
}

/** The same for a value that stands inside an answer, such as the `error` of a job. */
export function complaintIn(value: unknown, scrub: Scrub): Complaint {
	const { message, code, param } = saidIn(value);
	const said = {
		// Before it is cut, which may leave half a secret.
		...(message ? { message: scrub(message).slice(0, longest) } : {}),
		...(code ? { code: scrub(code).slice(0, longestName) } : {}),
		...(param ? { param: scrub(param.replace(/[.[].*$/s, '')).slice(0, longestName) } : {}),
	};
	return { ...said, text: said.message ?? said.code ?? 'no reason' };
}

/** The members of a failure, unchanged. */
interface Said {
	readonly message: string | undefined;
	readonly code: string | undefined;
	readonly param: string | undefined;
}

function saidIn(value: unknown): Said {
	const { error, detail, message } = members(value);
	if (typeof error === 'object' && error !== null) return fromObject(error);
	if (Array.isArray(detail)) return fromPlaces(detail);
	if (typeof detail === 'object' && detail !== null) return saidIn(detail);
	const sentence = [error, detail, message].find((each) => typeof each === 'string');
	return fromObject({ ...members(value), message: sentence });
}

function fromObject(value: object): Said {
	const { message, code, param, type } = members(value);
	// Some servers put the HTTP status into one of them.
	return { message: textIn(message), code: textIn(code) ?? textIn(type), param: textIn(param) };
}

/** FastAPI: `[{ loc: ["body", "prompt"], msg: "field required" }]`. */
function fromPlaces(places: readonly unknown[]): Said {
	const { loc, msg } = members(places[0]);
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

/** The members of any value: none of what is no object. */
export function members(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
