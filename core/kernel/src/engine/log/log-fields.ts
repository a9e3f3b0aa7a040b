import { types } from 'node:util';
import { isSecretName, redact, redacted } from '../../contract/errors/redact.ts';

/** Fields with content from clients. Log their sizes instead. */
const contentNames = new Set(['prompt', 'input', 'instructions', 'messages', 'body', 'headers']);

const maxText = 2_000;
const maxStack = 8_000;
/** How much of a longer text is searched for secrets: a private key may be longer than the logged part. */
const maxSearched = 65_536;
const maxDepth = 6;
/** The maximum number of values in one line, including texts and numbers. */
const maxNodes = 500;

const unreadable = '[unreadable]';

interface Budget {
	nodes: number;
}

/**
 * A copy of log fields that is safe to log: texts are cut and have no known secrets, names of secrets or content have
 * no values, errors keep type, code, message, stack and causes (those of HTTP clients hold requests). Never throws.
 */
export function safeFields(fields: object): Record<string, unknown> {
	const budget = { nodes: maxNodes };
	// A bare error would lose its name. Pino also logs it as `err`.
	if (types.isNativeError(fields)) return { err: safeValue(fields, 1, budget) };
	try {
		return safeObject(fields, 0, budget);
	} catch {
		return { fields: unreadable };
	}
}

function safeValue(value: unknown, depth: number, budget: Budget): unknown {
	budget.nodes -= 1;
	if (depth > maxDepth || budget.nodes < 0) return '[more]';
	if (typeof value === 'string') return safeText(value, maxText);
	if (typeof value === 'bigint') return String(value);
	if (typeof value !== 'object' || value === null) return value;
	try {
		if (isError(value)) return safeError(value, depth, budget);
		if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
		if (Array.isArray(value)) return value.slice(0, budget.nodes).map((item) => safeValue(item, depth + 1, budget));
		const { toJSON } = value as { toJSON?: unknown };
		if (typeof toJSON === 'function') return safeValue(toJSON.call(value), depth + 1, budget);
		return safeObject(value, depth, budget);
	} catch {
		return unreadable;
	}
}

function safeObject(value: object, depth: number, budget: Budget): Record<string, unknown> {
	const entries: (readonly [name: string, shown: unknown])[] = [];
	for (const name of Object.keys(value).slice(0, budget.nodes)) {
		const item = (value as Record<string, unknown>)[name];
		if (item === undefined) continue;
		// Numbers and booleans stay: `tokens: 512` and `input: 1_024` are sizes.
		const isText = typeof item === 'string' || (typeof item === 'object' && item !== null);
		const isPrivate = isText && (isSecretName(name) || contentNames.has(name.toLowerCase()));
		entries.push([name, isPrivate ? redacted : safeValue(item, depth + 1, budget)]);
	}
	// Not assigned one by one, because `__proto__` would change the prototype.
	return Object.fromEntries(entries);
}

function safeError(error: Error, depth: number, budget: Budget): object {
	const { name, message, stack, cause } = error;
	const { code, errors } = error as { code?: unknown; errors?: unknown };
	// A cause that is not an error, such as a parsed response, may contain anything.
	const isShown = typeof cause !== 'object' || cause === null || isError(cause);
	return {
		type: name,
		...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
		message: safeText(String(message), maxText),
		...(stack === undefined ? {} : { stack: safeText(String(stack), maxStack) }),
		...(cause === undefined ? {} : { cause: isShown ? safeValue(cause, depth + 1, budget) : '[object]' }),
		...(Array.isArray(errors) ? { errors: safeValue(errors, depth + 1, budget) } : {}),
	};
}

/** True also for errors of another realm. */
function isError(value: unknown): value is Error {
	return value instanceof Error || types.isNativeError(value);
}

function safeText(text: string, max: number): string {
	// Redacted before it is cut, so that no part of a secret remains.
	const clean = redact(text.slice(0, maxSearched));
	return clean.length > max ? `${clean.slice(0, max)}… (${text.length} characters)` : clean;
}
