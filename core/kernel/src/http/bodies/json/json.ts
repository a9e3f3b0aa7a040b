import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import type Koa from 'koa';
import { isPlinthError, type PlinthError } from '../../../contract/errors/coded-error.ts';
import type { Context } from '../../context.ts';
import { httpLimits } from '../../limits.ts';
import { chunksOf, cutOff, malformed } from '../chunks.ts';
import { type JsonBounds, JsonScanner } from './scanner.ts';

/** Removes parts of a JSON text while it arrives, and refuses a text that exceeds the bounds. */
export interface JsonTransform {
	/** Resolves with the remaining text of a chunk, when there is room for the next chunk. */
	pass(chunk: Buffer): Promise<Buffer>;
}

/**
 * Reads the JSON body of a request. Throws `E_BODY_TOO_LARGE` beyond `limit` bytes, and `E_BODY_MALFORMED` for a body
 * that is not JSON in UTF-8, is empty, nests too deep, has too many keys or values, or has a key that could reach a
 * prototype. The structure is counted while the bytes arrive, so that no body blocks the event loop when it is parsed.
 * An aborted signal stops the reading. A transform gets the bytes before the parser does.
 */
export async function readJson(
	ctx: Context,
	req: IncomingMessage,
	limit: number,
	signal: AbortSignal,
	transform?: JsonTransform,
): Promise<unknown> {
	const parse = await parser();
	const text = checkedText(chunksOf(req, limit, signal), transform);
	const stream = Readable.from(text, { objectMode: false });
	// A transform shortens the body, and the parser would refuse the original content length.
	const { 'content-length': _, ...others } = req.headers;
	const checked = Object.assign(stream, { headers: transform ? others : req.headers });
	try {
		await parse(Object.create(ctx, { req: { value: checked } }), () => Promise.resolve());
	} finally {
		stream.destroy();
		// The transform may still run after the parser has failed.
		if (transform && !stream.closed) await once(stream, 'close');
	}
	const { body } = ctx.request as { body?: unknown };
	if (hasPrototypeKey(body)) throw malformed('a key is "__proto__", or "prototype" in a "constructor"');
	return body;
}

let loading: Promise<Koa.Middleware> | undefined;

/** Loaded for the first body: the library also loads parsers of other kinds, which would slow down every start. */
function parser(): Promise<Koa.Middleware> {
	loading ??= import('koa-body').then(({ koaBody }) =>
		koaBody({
			multipart: false,
			urlencoded: false,
			text: false,
			// Not strict: that would turn an empty body into {} and refuse `5` as bad syntax, although it is the wrong type.
			jsonStrict: false,
			jsonTypes: ['json', '+json'],
			// The bytes are counted before the parser gets them.
			jsonLimit: Number.MAX_SAFE_INTEGER,
			patchNode: false,
			onError: (error) => {
				throw jsonError(error);
			},
			parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
		}),
	);
	return loading;
}

export const excesses: Readonly<Record<keyof JsonBounds, string>> = {
	depth: `it nests deeper than ${httpLimits.depth} levels`,
	keys: `it has more than ${httpLimits.keys} keys`,
	values: `it has more than ${httpLimits.values} values`,
};

/** The chunks of a body. Throws at the first one that exceeds a bound. */
async function* checkedText(chunks: AsyncIterable<Buffer>, transform: JsonTransform | undefined) {
	const scanner = new JsonScanner(httpLimits);
	const utf8 = new TextDecoder('utf-8', { fatal: true });
	let isEmpty = true;
	for await (const chunk of chunks) {
		isEmpty = false;
		// A transform scans the text itself.
		const excess = transform ? undefined : scanner.push(chunk);
		if (excess) throw malformed(excesses[excess]);
		checkUtf8(utf8, chunk);
		yield transform ? await transform.pass(chunk) : chunk;
	}
	if (isEmpty) throw malformed('the body is empty');
	checkUtf8(utf8);
}

/** Without a chunk: checks that the last character is complete. */
function checkUtf8(decoder: TextDecoder, chunk?: Buffer): void {
	try {
		decoder.decode(chunk, { stream: chunk !== undefined });
	} catch {
		throw malformed('it is not UTF-8');
	}
}

function jsonError(error: unknown): PlinthError {
	if (isPlinthError(error)) return error;
	if (error instanceof SyntaxError) return malformed(syntaxReason(error.message), error);
	return malformed(cutOff, error);
}

// V8's own message quotes the body, which may contain secrets.
function syntaxReason(message: string): string {
	const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
	if (line) return `the JSON is malformed at line ${line}, column ${column}`;
	if (message.includes('end of JSON')) return 'the JSON ends early';
	if (message.includes('forbidden prototype')) return 'a key is "__proto__"';
	return 'it is no JSON';
}

/**
 * Whether an object somewhere in a parsed value has its own key `__proto__`, or a key `constructor` whose value has a
 * key `prototype`: a careless merge would write through either into every object of the process.
 */
export function hasPrototypeKey(value: unknown): boolean {
	// Level by level, because deep input would overflow the stack of a recursion.
	for (let level = [value].filter(isObject); level.length > 0; ) {
		if (level.some((node) => Object.hasOwn(node, '__proto__') || reachesPrototype(node))) return true;
		level = level.flatMap((node) => Object.values(node).filter(isObject));
	}
	return false;
}

function reachesPrototype(node: object): boolean {
	if (!Object.hasOwn(node, 'constructor')) return false;
	const value: unknown = node.constructor;
	return isObject(value) && Object.hasOwn(value, 'prototype');
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
