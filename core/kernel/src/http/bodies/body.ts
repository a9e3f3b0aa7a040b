import type { IncomingMessage } from 'node:http';
import { type PlinthError, plinthError } from '../../contract/errors/coded-error.ts';
import type { BodyEncoding, Route, SpoolOptions } from '../../contract/http/route.ts';
import type { RawBody } from '../../contract/ports/forward.ts';
import type { Body, Context } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { limitsOf, type ResolvedLimits } from '../limits.ts';
import { acceptsNothing } from '../validation/validate.ts';
import { bodyTooLarge } from './chunks.ts';
import { readMultipart } from './forms/multipart.ts';
import { bodyOfHost, replayed, wholeBody } from './in-memory.ts';
import { readJson } from './json/json.ts';
import { JsonFiles } from './json/json-files.ts';
import { longestString } from './json/long-string.ts';

export class BodyReader {
	readonly #limits: ResolvedLimits;
	readonly #encodings: readonly BodyEncoding[];
	readonly #isOptional: boolean;
	readonly #spoolOptions: SpoolOptions | undefined;

	constructor(route: Route) {
		this.#limits = limitsOf(route);
		this.#encodings = encodingsOf(route);
		this.#spoolOptions = route.spoolDataUrls === true ? {} : route.spoolDataUrls || undefined;
		this.#isOptional = !route.body || acceptsNothing(route.body);
	}

	/** Throws `E_MEDIA_TYPE_UNSUPPORTED`, `E_BODY_TOO_LARGE` or `E_BODY_MALFORMED`, as early as the headers allow. */
	async read(ctx: Context): Promise<Body> {
		const { entry, exchange } = ctx.state;
		const { req } = ctx;
		if (isEmpty(req)) {
			if (this.#isOptional) return withoutFiles(undefined);
			throw plinthError('E_BODY_MALFORMED', { message: 'The request has no body.' });
		}
		const encoding = this.#checkedEncoding(req);
		const limit = this.#limits[encoding];
		const source = isBodyConsumed(req) ? bodyOfHost(req, encoding, entry.hostBody) : req;
		if (Number(source.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit);
		exchange.acceptBody();
		if (encoding === 'json') return this.#readJson(ctx, source);
		return readMultipart(source, this.#limits, exchange.signal);
	}

	/**
	 * Reads a JSON body of known length up to 262,144 bytes into memory, unchecked. Undefined, with nothing read, for
	 * every other body. Throws what `read` throws for the headers, and `E_BODY_MALFORMED` for a body that ends early.
	 */
	readWhole(exchange: Exchange): Promise<Buffer> | undefined {
		const { req } = exchange;
		const length = Number(req.headers['content-length']);
		const limit = Math.min(wholeBytes, this.#limits.json);
		if (!(length >= 1 && length <= limit) || !Number.isInteger(length)) return undefined;
		if (isBodyConsumed(req) || req.headers['transfer-encoding'] !== undefined) return undefined;
		if (this.#checkedEncoding(req) !== 'json') return undefined;
		exchange.acceptBody();
		return wholeBody(exchange, length);
	}

	/** Does what `read` does, for a JSON body that `readWhole` has read. */
	replay(bytes: Buffer, ctx: Context): Promise<Body> {
		return this.#readJson(ctx, replayed(ctx.req.headers, bytes));
	}

	/** Does what `replay` does, for a body that has been parsed. Undefined if the parsed body is not enough for that. */
	fromParsed({ bytes, value }: RawBody): Body | undefined {
		// A long string may be a file.
		return this.#spoolOptions && bytes.length > longestString ? undefined : withoutFiles(value);
	}

	#checkedEncoding(req: IncomingMessage): BodyEncoding {
		refuseCompression(req);
		const encoding = this.#encodingOf(req);
		if (encoding === 'json') refuseCharset(req);
		return encoding;
	}

	/** After an abort, settles only when the files are deleted. */
	async #readJson(ctx: Context, req: IncomingMessage): Promise<Body> {
		const { signal } = ctx.state.exchange;
		// No string in such a body is long enough to become a file.
		const isShort = Number(req.headers['content-length']) <= longestString;
		if (!this.#spoolOptions || isShort) return withoutFiles(await readJson(ctx, req, this.#limits.json, signal));
		const files = new JsonFiles(this.#limits, this.#spoolOptions);
		try {
			const value = files.restore(await readJson(ctx, req, this.#limits.json, signal, files));
			return { value, release: () => files.remove() };
		} catch (error) {
			await files.remove();
			throw error;
		}
	}

	#encodingOf(req: IncomingMessage): BodyEncoding {
		const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
		const isJson = /^application\/(?:json|[\w.-]+\+json)$/.test(type);
		const encoding = isJson ? 'json' : type === 'multipart/form-data' ? 'multipart' : undefined;
		if (encoding && this.#encodings.includes(encoding)) return encoding;
		const accepted = this.#encodings.map((name) => mediaTypes[name]).join(' or ');
		const sent = type === '' ? 'no content type' : `"${type.slice(0, 100)}"`;
		throw unsupported(`This route accepts ${accepted}; ${sent} was sent.`);
	}
}

/** The longest body that a route's `forward` gets, in bytes. */
export const wholeBytes = 262_144;

export const mediaTypes = { json: 'application/json', multipart: 'multipart/form-data' } as const;

export function encodingsOf(route: Pick<Route, 'encoding'>): readonly BodyEncoding[] {
	const { encoding = 'json' } = route;
	return typeof encoding === 'string' ? [encoding] : encoding;
}

function withoutFiles(value: unknown): Body {
	return { value, release: () => Promise.resolve() };
}

function isEmpty(req: IncomingMessage): boolean {
	if (req.headers['transfer-encoding'] !== undefined) return false;
	return Number(req.headers['content-length'] ?? 0) === 0;
}

/** JSON is UTF-8 (RFC 8259 §8.1), of which ASCII is a subset. */
function refuseCharset(req: IncomingMessage): void {
	const parameter = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
	const [, charset = 'utf-8'] = parameter.exec(req.headers['content-type'] ?? '') ?? [];
	if (/^(?:utf-?8|us-ascii)$/i.test(charset)) return;
	throw unsupported(`JSON is accepted in UTF-8; "${charset.slice(0, 20)}" was sent.`);
}

function refuseCompression(req: IncomingMessage): void {
	const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
	if (encoding === 'identity') return;
	throw unsupported(`Compressed request bodies are not accepted; "${encoding.slice(0, 20)}" was sent.`);
}

function unsupported(message: string): PlinthError {
	return plinthError('E_MEDIA_TYPE_UNSUPPORTED', { message });
}

const consumed = new WeakSet<IncomingMessage>();

/** Marks a request whose body a host has read, if the state of the request does not show that. */
export function markBodyConsumed(req: IncomingMessage): void {
	consumed.add(req);
}

function isBodyConsumed(req: IncomingMessage): boolean {
	return req.readableEnded || req.readableDidRead || consumed.has(req);
}
