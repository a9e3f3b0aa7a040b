import type { IncomingMessage } from 'node:http';
import { plinthError } from '../../contract/errors/coded-error.ts';
import type { BodyEncoding, Route, SpoolOptions } from '../../contract/http/route.ts';
import type { RawBody } from '../../contract/ports/forward.ts';
import type { Context } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { limitsOf, type ResolvedLimits } from '../limits.ts';
import { acceptsNothing } from '../validation/validate.ts';
import { bodyTooLarge, readMultipart } from './forms/multipart.ts';
import { bodyOfHost, replayed, wholeBody } from './in-memory.ts';
import { type JsonReader, jsonReader } from './json/json.ts';
import { JsonFiles } from './json/json-files.ts';
import { longestString } from './json/long-string.ts';

/** A body before validation. */
export interface Body {
	readonly value: unknown;
	/** Deletes temporary files. */
	release(): Promise<void>;
}

/** Reads the bodies of one route. */
export class BodyReader {
	readonly #limits: ResolvedLimits;
	readonly #encodings: readonly BodyEncoding[];
	readonly #json: JsonReader;
	readonly #optional: boolean;
	readonly #spooled: SpoolOptions | undefined;

	constructor(route: Route) {
		this.#limits = limitsOf(route);
		this.#encodings = encodingsOf(route);
		this.#json = jsonReader(this.#limits.json);
		this.#spooled = route.spoolDataUrls === true ? {} : route.spoolDataUrls || undefined;
		this.#optional = !route.body || acceptsNothing(route.body);
	}

	/** Throws `E_MEDIA_TYPE_UNSUPPORTED`, `E_BODY_TOO_LARGE` or `E_BODY_MALFORMED`, as early as the headers allow. */
	async read(ctx: Context): Promise<Body> {
		const { entry, exchange } = ctx.state;
		const { req } = ctx;
		if (isEmpty(req) && this.#optional) return plain(undefined);
		if (isEmpty(req)) {
			throw plinthError('E_BODY_MALFORMED', { message: 'The request has no body.' });
		}
		const encoding = this.#announced(req);
		const limit = this.#limits[encoding];
		if (Number(req.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit);
		exchange.inviteBody();
		const source = isTaken(req) ? bodyOfHost(req, encoding, entry.hostBody) : req;
		if (encoding === 'json') return this.#readJson(contextOf(ctx, source), exchange);
		const form = await readMultipart(source, this.#limits, exchange.signal);
		return { value: form.fields, release: form.release };
	}

	/**
	 * Reads a JSON body of known length up to 262,144 bytes into memory, unchecked. Undefined, with nothing read, for
	 * every other body. Throws what `read` throws for the headers, and `E_BODY_MALFORMED` for a body that breaks off.
	 */
	readWhole(exchange: Exchange): Promise<Buffer> | undefined {
		const { req } = exchange;
		const length = Number(req.headers['content-length']);
		const limit = Math.min(wholeBytes, this.#limits.json);
		if (!(length >= 1 && length <= limit) || !Number.isInteger(length)) return undefined;
		if (isTaken(req) || req.headers['transfer-encoding'] !== undefined) return undefined;
		if (this.#announced(req) !== 'json') return undefined;
		exchange.inviteBody();
		return wholeBody(exchange, length);
	}

	/** What `read` makes of a JSON body that `readWhole` has read. */
	replay(bytes: Buffer, ctx: Context): Promise<Body> {
		return this.#readJson(contextOf(ctx, replayed(ctx.req, bytes)), ctx.state.exchange);
	}

	/** What `read` makes of a body that has been parsed; undefined: only `replay` can tell. */
	take({ bytes, value }: RawBody): Body | undefined {
		// A long string may be a file.
		return this.#spooled && bytes.length > longestString ? undefined : plain(value);
	}

	/** How the body is encoded, by the headers alone. */
	#announced(req: IncomingMessage): BodyEncoding {
		refuseCompression(req);
		const encoding = this.#encodingOf(req);
		if (encoding === 'json') refuseCharset(req);
		return encoding;
	}

	async #readJson(ctx: Context, exchange: Exchange): Promise<Body> {
		const { signal } = exchange;
		// A body as short as this holds no string that becomes a file.
		const isShort = Number(ctx.req.headers['content-length']) <= longestString;
		if (this.#spooled && !isShort) return this.#readWithFiles(ctx, signal, this.#spooled);
		return plain(await exchange.orAbort(this.#json(ctx, signal)));
	}

	/** Settles after an abort only when nothing is left of the files. */
	async #readWithFiles(ctx: Context, signal: AbortSignal, spooled: SpoolOptions): Promise<Body> {
		const files = new JsonFiles(this.#limits, spooled);
		try {
			const value = files.restore(await this.#json(ctx, signal, files));
			return { value, release: () => files.remove() };
		} catch (error) {
			await files.remove();
			throw error;
		}
	}

	#encodingOf(req: IncomingMessage): BodyEncoding {
		const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
		const encoding = /^application\/(?:json|[\w.-]+\+json)$/.test(type)
			? 'json'
			: type === 'multipart/form-data'
				? 'multipart'
				: undefined;
		if (encoding && this.#encodings.includes(encoding)) return encoding;
		const takes = this.#encodings.map((name) => mediaTypes[name]).join(' or ');
		const found = type === '' ? 'no content type' : `"${type.slice(0, 100)}"`;
		throw plinthError('E_MEDIA_TYPE_UNSUPPORTED', { message: `This route takes ${takes}; ${found} was sent.` });
	}
}

/** The longest body that a route's `forward` gets, in bytes. */
export const wholeBytes = 262_144;

/** The content types behind the encodings. */
export const mediaTypes = { json: 'application/json', multipart: 'multipart/form-data' } as const;

/** The encodings that a route takes. */
export function encodingsOf(route: Pick<Route, 'encoding'>): readonly BodyEncoding[] {
	const { encoding = 'json' } = route;
	return typeof encoding === 'string' ? [encoding] : encoding;
}

function plain(value: unknown): Body {
	return { value, release: () => Promise.resolve() };
}

function isEmpty(req: IncomingMessage): boolean {
	if (req.headers['transfer-encoding'] !== undefined) return false;
	return Number(req.headers['content-length'] ?? 0) === 0;
}

function contextOf(context: Context, req: IncomingMessage): Context {
	return context.req === req ? context : Object.create(context, { req: { value: req } });
}

/** JSON is UTF-8 (RFC 8259 §8.1), of which ASCII is a part. */
function refuseCharset(req: IncomingMessage): void {
	const parameter = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
	const [, charset = 'utf-8'] = parameter.exec(req.headers['content-type'] ?? '') ?? [];
	if (/^(?:utf-?8|us-ascii)$/i.test(charset)) return;
	throw plinthError('E_MEDIA_TYPE_UNSUPPORTED', {
		message: `JSON is taken in UTF-8; "${charset.slice(0, 20)}" was sent.`,
	});
}

function refuseCompression(req: IncomingMessage): void {
	const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
	if (encoding === 'identity') return;
	throw plinthError('E_MEDIA_TYPE_UNSUPPORTED', {
		message: `Compressed request bodies are not taken; "${encoding.slice(0, 20)}" was sent.`,
	});
}

const taken = new WeakSet<IncomingMessage>();

/** Says that a host has read the body of a request, where the request itself cannot tell. */
export function markTaken(req: IncomingMessage): void {
	taken.add(req);
}

/** Whether a body parser of the host has read from the request before us. */
function isTaken(req: IncomingMessage): boolean {
	return req.readableEnded || req.readableDidRead || taken.has(req);
}
