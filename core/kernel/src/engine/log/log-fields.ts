import { types } from 'node:util';
import { isSecretName, redact, redacted } from '../../contract/errors/redact.ts';

/** What people ask a model for, and what carries it. Such a field is a slip of somebody who should log a size. */
const contentNames = new Set(['prompt', 'input', 'instructions', 'messages', 'body', 'headers']);

const maxText = 2_000;
const maxStack = 8_000;
/** How much of a longer text is searched for secrets: a private key may be longer than what is shown. */
const maxSearched = 65_536;
const maxDepth = 6;
/** Values of one line, texts and numbers among them. */
const maxNodes = 500;

/**
 * A copy of log fields that may be written: texts without known secrets and at a bounded length, no values under
 * names that promise a secret or a prompt, of errors only their type, code, message, stack and causes. Errors of HTTP
 * clients carry whole requests otherwise. Never throws: whoever logs is in the middle of something else.
 */
export function safeFields(fields: object): Record<string, unknown> {
	const left = { nodes: maxNodes };
	// An error by itself would lose its name: pino calls it so too.
	if (types.isNativeError(fields)) return { err: safeValue(fields, 1, left) };
	try {
		return safeObject(fields, 0, left);
	} catch {
		return { fields: unreadable };
	}
}

/** Stands for what throws when it is looked at. */
const unreadable = '[unreadable]';

interface Left {
	nodes: number;
}

function safeValue(value: unknown, depth: number, left: Left): unknown {
	left.nodes -= 1;
	if (depth > maxDepth || left.nodes < 0) return '[more]';
	if (typeof value === 'string') return safeText(value, maxText);
	if (typeof value === 'bigint') return String(value);
	if (typeof value !== 'object' || value === null) return value;
	try {
		return safeNode(value, depth, left);
	} catch {
		return unreadable;
	}
}

function safeNode(value: object, depth: number, left: Left): unknown {
	if (value instanceof Error || types.isNativeError(value)) return safeError(value, depth, left);
	if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
	if (Array.isArray(value)) {
		return value.slice(0, left.nodes).map((item) => safeValue(item, depth + 1, left));
	}
	const { toJSON } = value as { toJSON?: unknown };
	if (typeof toJSON === 'function') return safeValue(toJSON.call(value), depth + 1, left);
	return safeObject(value, depth, left);
}

function safeObject(value: object, depth: number, left: Left): Record<string, unknown> {
	const safe: Record<string, unknown> = {};
	let room = left.nodes;
	for (const name of Object.keys(value)) {
		if (room-- <= 0) break;
		const item = (value as Record<string, unknown>)[name];
		if (item === undefined) continue;
		const isPrivate = privateNames.get(name) ?? learnName(name);
		// Numbers and the like stay: `tokens: 512` and `input: 1_024` are sizes.
		const isText = typeof item === 'string' || (typeof item === 'object' && item !== null);
		const shown = isPrivate && isText ? redacted : safeValue(item, depth + 1, left);
		// Assigned, it would change the prototype.
		if (name === '__proto__') Object.defineProperty(safe, name, { value: shown, enumerable: true });
		else safe[name] = shown;
	}
	return safe;
}

/** What was found out about names before. Lines have few of them, and each line asks for all of its own. */
const privateNames = new Map<string, boolean>();

function learnName(name: string): boolean {
	const isPrivate = isSecretName(name) || contentNames.has(name.toLowerCase());
	// Names out of data could be any number.
	if (privateNames.size < maxNodes) privateNames.set(name, isPrivate);
	return isPrivate;
}

function safeError(error: Error, depth: number, left: Left): object {
	const { name, message, stack, cause } = error;
	const { code, errors } = error as { code?: unknown; errors?: unknown };
	return {
		type: name,
		...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
		message: safeText(String(message), maxText),
		...(stack === undefined ? {} : { stack: safeText(String(stack), maxStack) }),
		...(cause === undefined ? {} : { cause: safeCause(cause, depth, left) }),
		...(Array.isArray(errors) ? { errors: safeValue(errors, depth + 1, left) } : {}),
	};
}

/** A cause that is no error, such as a parsed answer, may hold anything. */
function safeCause(cause: unknown, depth: number, left: Left): unknown {
	return typeof cause === 'object' && !types.isNativeError(cause) && !(cause instanceof Error)
		? '[object]'
		: safeValue(cause, depth + 1, left);
}

function safeText(text: string, max: number): string {
	// Redacted before it is cut, so that no half of a secret is left.
	const clean = redact(text.slice(0, maxSearched));
	return clean.length > max ? `${clean.slice(0, max)}… (${text.length} characters)` : clean;
}
