import { types } from 'node:util';
import { isSecretName, redact, redacted } from '../../contract/errors/redact.ts';

/** Fields that carry what clients have sent. Their sizes are to be logged instead. */
const contentNames = new Set(['prompt', 'input', 'instructions', 'messages', 'body', 'headers']);

const maxText = 2_000;
const maxStack = 8_000;
/** How much of a longer text is searched for secrets: a private key may be longer than what is shown. */
const maxSearched = 65_536;
const maxDepth = 6;
/** Values of one line, texts and numbers among them. */
const maxNodes = 500;

/** Replaces a value that throws when it is read. */
const unreadable = '[unreadable]';

/** How many values a line may still have. */
interface Left {
	nodes: number;
}

/**
 * A copy of log fields that may be written: texts without known secrets and of bounded length, no values under names
 * of secrets or of content, of errors only their type, code, message, stack and causes: errors of HTTP clients hold
 * whole requests. Never throws.
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

function safeValue(value: unknown, depth: number, left: Left): unknown {
	left.nodes -= 1;
	if (depth > maxDepth || left.nodes < 0) return '[more]';
	if (typeof value === 'string') return safeText(value, maxText);
	if (typeof value === 'bigint') return String(value);
	if (typeof value !== 'object' || value === null) return value;
	try {
		if (isError(value)) return safeError(value, depth, left);
		if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
		if (Array.isArray(value)) return value.slice(0, left.nodes).map((item) => safeValue(item, depth + 1, left));
		const { toJSON } = value as { toJSON?: unknown };
		if (typeof toJSON === 'function') return safeValue(toJSON.call(value), depth + 1, left);
		return safeObject(value, depth, left);
	} catch {
		return unreadable;
	}
}

function safeObject(value: object, depth: number, left: Left): Record<string, unknown> {
	const entries: (readonly [name: string, shown: unknown])[] = [];
	for (const name of Object.keys(value).slice(0, left.nodes)) {
		const item = (value as Record<string, unknown>)[name];
		if (item === undefined) continue;
		// Numbers and the like stay: `tokens: 512` and `input: 1_024` are sizes.
		const isText = typeof item === 'string' || (typeof item === 'object' && item !== null);
		const isPrivate = isText && (isSecretName(name) || contentNames.has(name.toLowerCase()));
		entries.push([name, isPrivate ? redacted : safeValue(item, depth + 1, left)]);
	}
	// Not assigned one by one: `__proto__` would change the prototype.
	return Object.fromEntries(entries);
}

function safeError(error: Error, depth: number, left: Left): object {
	const { name, message, stack, cause } = error;
	const { code, errors } = error as { code?: unknown; errors?: unknown };
	// A cause that is no error, such as a parsed answer, may hold anything.
	const isShown = typeof cause !== 'object' || cause === null || isError(cause);
	return {
		type: name,
		...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
		message: safeText(String(message), maxText),
		...(stack === undefined ? {} : { stack: safeText(String(stack), maxStack) }),
		...(cause === undefined ? {} : { cause: isShown ? safeValue(cause, depth + 1, left) : '[object]' }),
		...(Array.isArray(errors) ? { errors: safeValue(errors, depth + 1, left) } : {}),
	};
}

/** Also for errors of another realm. */
function isError(value: unknown): value is Error {
	return value instanceof Error || types.isNativeError(value);
}

function safeText(text: string, max: number): string {
	// Redacted before it is cut, so that no half of a secret is left.
	const clean = redact(text.slice(0, maxSearched));
	return clean.length > max ? `${clean.slice(0, max)}… (${text.length} characters)` : clean;
}
