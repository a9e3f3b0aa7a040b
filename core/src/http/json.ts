import type Koa from 'koa';
import { koaBody } from 'koa-body';
import { isPlinthError, type PlinthError, plinthError } from '../coded-error.ts';
import { httpLimits } from './limits.ts';
import { bodyTooLarge } from './multipart.ts';

/** Reads a JSON body of at most `limit` bytes. */
export type JsonReader = (ctx: Koa.Context) => Promise<unknown>;

/**
 * Makes the reader of one route. It throws `E_BODY_TOO_LARGE`, and `E_BODY_MALFORMED` for what is no JSON, is empty, nests too
 * deep or carries a key `__proto__`.
 */
export function jsonReader(limit: number): JsonReader {
	const parse = koaBody({
		multipart: false,
		urlencoded: false,
		text: false,
		// Not strict: that would turn an empty body into {} and refuse `5` as bad syntax, although it is the wrong type.
		jsonStrict: false,
		jsonTypes: ['json', '+json'],
		jsonLimit: limit,
		patchNode: false,
		onError: (error) => {
			throw jsonError(error, limit);
		},
		parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
	});
	return async (ctx) => {
		await parse(ctx, () => Promise.resolve());
		const { body } = ctx.request as { body?: unknown };
		if (body === undefined || body === '') throw malformed('the body is empty');
		refuseDepth(body);
		return body;
	};
}

/** Throws `E_BODY_MALFORMED` for JSON that nests so deep that walking through it could overflow the stack. */
export function refuseDepth(body: unknown): void {
	if (isTooDeep(body)) throw malformed(`it nests deeper than ${httpLimits.depth} levels`);
}

function jsonError(error: unknown, limit: number): PlinthError | Error {
	if (isPlinthError(error)) return error;
	const { type, message = '' } = error as { type?: string; message?: string };
	if (type === 'entity.too.large') return bodyTooLarge(limit);
	if (error instanceof SyntaxError) return malformed(syntaxReason(message), error);
	return malformed('the body ended early or cannot be decoded', error);
}

// The engine's own message quotes the body, which may hold what should not travel.
function syntaxReason(message: string): string {
	const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
	if (line) return `the JSON is malformed at line ${line}, column ${column}`;
	if (message.includes('end of JSON')) return 'the JSON ends early';
	if (message.includes('forbidden prototype')) return 'a key is "__proto__"';
	return 'it is no JSON';
}

function malformed(reason: string, cause?: unknown): PlinthError {
	return plinthError('E_BODY_MALFORMED', {
		message: `The request body cannot be read: ${reason}.`,
		cause,
	});
}

// By levels and not by recursion, which deep input would overflow.
function isTooDeep(body: unknown): boolean {
	let level: unknown[] = [body];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > httpLimits.depth) return true;
		level = level.flatMap((node) =>
			typeof node === 'object' && node !== null ? Object.values(node) : [],
		);
	}
	return false;
}
