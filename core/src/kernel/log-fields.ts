import { types } from 'node:util';
import { isSecretName, redact, redacted } from '../redact.ts';

/** What people ask a model for, and what carries it. Such a field is a slip of somebody who should log a size. */
const contentNames = new Set(['prompt', 'input', 'instructions', 'messages', 'body', 'headers']);

const maxText = 2_000;
const maxStack = 8_000;
const maxDepth = 6;
const maxNodes = 500;

/**
 * A copy of log fields that may be written: texts without known secrets and at a bounded length, no values under names that promise a
 * secret or a prompt, of errors only their type, code, message, stack and causes. Errors of HTTP clients carry whole requests otherwise.
 */
export function safeFields(fields: object): Record<string, unknown> {
	const left = { nodes: maxNodes };
	// An error by itself would lose its name: pino calls it so too.
	return types.isNativeError(fields)
		? { err: safeError(fields, 1, left) }
		: safeObject(fields, 0, left);
}

interface Left {
	nodes: number;
}

function safeValue(value: unknown, depth: number, left: Left): unknown {
	if (typeof value === 'string') return safeText(value, maxText);
	if (typeof value === 'bigint') return String(value);
	if (typeof value !== 'object' || value === null) return value;
	left.nodes -= 1;
	if (depth > maxDepth || left.nodes < 0) return '[more]';
	if (value instanceof Error || types.isNativeError(value)) return safeError(value, depth, left);
	if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
	if (Array.isArray(value)) {
		return value.slice(0, maxNodes).map((item) => safeValue(item, depth + 1, left));
	}
	const { toJSON } = value as { toJSON?: unknown };
	if (typeof toJSON === 'function') return safeValue(toJSON.call(value), depth + 1, left);
	return safeObject(value, depth, left);
}

function safeObject(value: object, depth: number, left: Left): Record<string, unknown> {
	const entries = Object.entries(value).map(([name, item]) => {
		const isPrivate = isSecretName(name) || contentNames.has(name.toLowerCase());
		// Numbers and the like stay: `tokens: 512` and `input: 1_024` are sizes.
		const isText = typeof item === 'string' || (typeof item === 'object' && item !== null);
		return [name, isPrivate && isText ? redacted : safeValue(item, depth + 1, left)];
	});
	return Object.fromEntries(entries);
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
	const clean = redact(text.slice(0, max * 2));
	return clean.length > max ? `${clean.slice(0, max)}… (${text.length} characters)` : clean;
}
