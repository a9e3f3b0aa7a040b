import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type Koa from 'koa';
import { isPlinthError, type PlinthError, plinthError } from '../../../contract/errors/coded-error.ts';
import type { Context } from '../../context.ts';
import { httpLimits } from '../../limits.ts';
import { bodyTooLarge } from '../forms/multipart.ts';
import { type JsonBounds, JsonScanner } from './scanner.ts';

/** Reads a JSON body. An aborted signal stops it. A transform gets the bytes before the parser does. */
export type JsonReader = (ctx: Context, signal: AbortSignal, transform?: JsonTransform) => Promise<unknown>;

/** Takes something out of a JSON text while it arrives, and refuses a text that exceeds the bounds. */
export interface JsonTransform {
	/** Resolves with what is left of a chunk, when there is room for the next one. */
	pass(chunk: Buffer): Promise<Buffer>;
	/** What it has kept back at the end of the text. */
	rest(): Buffer;
}

/**
 * Makes the reader of one route. It throws `E_BODY_TOO_LARGE` beyond `limit` bytes, and `E_BODY_MALFORMED` for what is
 * no JSON in UTF-8, is empty, nests too deep, has too many keys or values, or has a key that could reach a prototype.
 * The structure is counted while the bytes arrive, so that no body blocks the event loop when it is parsed.
 */
export function jsonReader(limit: number): JsonReader {
	let parse: Koa.Middleware | undefined;
	return async (ctx, signal, transform) => {
		parse ??= await loadParser(limit);
		signal.throwIfAborted();
		const bytes = new CheckedBytes(ctx.req, signal, limit, transform);
		try {
			const standIn: Context = Object.create(ctx, { req: { value: bytes } });
			await parse(standIn, () => Promise.resolve());
		} finally {
			bytes.detach();
		}
		if (bytes.isEmpty) throw malformed('the body is empty');
		const { body } = ctx.request as { body?: unknown };
		if (hasPoison(body)) throw malformed('a key is "__proto__", or "prototype" in a "constructor"');
		return body;
	};
}

/** Loaded by the first body: it brings parsers of other kinds along, which would cost every start. */
async function loadParser(limit: number): Promise<Koa.Middleware> {
	const { koaBody } = await import('koa-body');
	return koaBody({
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
}

/** What is said of a text that exceeds a bound. */
export const excesses: Readonly<Record<keyof JsonBounds, string>> = {
	depth: `it nests deeper than ${httpLimits.depth} levels`,
	keys: `it has more than ${httpLimits.keys} keys`,
	values: `it has more than ${httpLimits.values} values`,
};

/** The bytes of a request, with its headers. It ends with an error at the first thing that is refused. */
class CheckedBytes extends Transform {
	readonly headers: IncomingHttpHeaders;
	readonly #req: IncomingMessage;
	readonly #signal: AbortSignal;
	readonly #limit: number;
	readonly #transform: JsonTransform | undefined;
	readonly #scanner = new JsonScanner(httpLimits);
	readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
	#received = 0;

	constructor(req: IncomingMessage, signal: AbortSignal, limit: number, transform: JsonTransform | undefined) {
		super();
		// What passes a transform is shorter than it was announced, which the parser would take for a broken body.
		const { 'content-length': _, ...others } = req.headers;
		this.headers = transform ? others : req.headers;
		this.#req = req;
		this.#signal = signal;
		this.#limit = limit;
		this.#transform = transform;
		// Both may come when nobody reads any more, and would end the process without a listener.
		this.on('error', () => {});
		req.on('error', () => this.detach(malformed(cutOff)));
		// A stream that is piped does not pass on that it broke off.
		req.once('close', () => {
			if (!req.readableEnded) this.detach(malformed(cutOff));
		});
		signal.addEventListener('abort', this.#leave, { once: true });
		req.pipe(this);
	}

	/** Whether nothing came. */
	get isEmpty(): boolean {
		return this.#received === 0;
	}

	/** Takes nothing more from the request. */
	detach(reason?: Error): void {
		// At once: the pipe itself would only notice later, and pause a request that somebody else reads by then.
		this.#req.unpipe(this);
		this.#signal.removeEventListener('abort', this.#leave);
		this.destroy(reason);
	}

	override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
		this.#received += chunk.length;
		const refusal = this.#check(chunk);
		if (refusal || !this.#transform) done(refusal, chunk);
		else this.#transform.pass(chunk).then((text) => done(null, text), done);
	}

	override _flush(done: TransformCallback): void {
		done(this.#checkUtf8(), this.#transform?.rest());
	}

	#check(chunk: Buffer): PlinthError | null {
		// The parser counts too, but only what it gets to see.
		if (this.#received > this.#limit) return bodyTooLarge(this.#limit);
		// A transform scans by itself.
		const excess = this.#transform ? undefined : this.#scanner.push(chunk);
		return excess ? malformed(excesses[excess]) : this.#checkUtf8(chunk);
	}

	/** Without a chunk: whether the last character is whole. */
	#checkUtf8(chunk?: Buffer): PlinthError | null {
		try {
			this.#utf8.decode(chunk, { stream: chunk !== undefined });
			return null;
		} catch {
			return malformed('it is not UTF-8');
		}
	}

	readonly #leave = () => this.detach(this.#signal.reason);
}

/** Why a body is malformed that has not come as it was announced. */
export const cutOff = 'the body ended early or cannot be decoded';

function jsonError(error: unknown, limit: number): PlinthError | Error {
	if (isPlinthError(error)) return error;
	const { type, message = '' } = error as { type?: string; message?: string };
	if (type === 'entity.too.large') return bodyTooLarge(limit);
	if (error instanceof SyntaxError) return malformed(syntaxReason(message), error);
	return malformed(cutOff, error);
}

// The engine's own message quotes the body, which may hold what should not travel.
function syntaxReason(message: string): string {
	const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
	if (line) return `the JSON is malformed at line ${line}, column ${column}`;
	if (message.includes('end of JSON')) return 'the JSON ends early';
	if (message.includes('forbidden prototype')) return 'a key is "__proto__"';
	return 'it is no JSON';
}

/** 400: the body is no JSON that can be read. */
export function malformed(reason: string, cause?: unknown): PlinthError {
	return plinthError('E_BODY_MALFORMED', { message: `The request body cannot be read: ${reason}.`, cause });
}

/**
 * Whether an object somewhere in a parsed value has its own key `__proto__`, or a key `constructor` whose value has a
 * key `prototype`: a careless merge would write through either into every object of the process.
 */
export function hasPoison(value: unknown): boolean {
	// Level by level and not by recursion, which deep input would overflow.
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
