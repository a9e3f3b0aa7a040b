import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import { plinthError } from '../coded-error.ts';
import type { Exchange } from './exchange.ts';
import { type JsonReader, jsonReader, refuseHostile } from './json.ts';
import { JsonFiles } from './json-files.ts';
import { limitsOf, type ResolvedLimits } from './limits.ts';
import { bodyTooLarge, readMultipart } from './multipart.ts';
import type { BodyEncoding, Route, SpoolOptions } from './route.ts';
import { acceptsNothing } from './validate.ts';

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
	async read(context: () => Koa.Context, exchange: Exchange): Promise<Body> {
		const { req } = exchange;
		// A host with a body parser of its own in front of us has read the stream to its end.
		if (req.readableEnded && !isEmpty(req)) return plain(parsedByHost(req));
		if (isEmpty(req) && this.#optional) return plain(undefined);
		if (isEmpty(req)) {
			throw plinthError('E_BODY_MALFORMED', { message: 'The request has no body.' });
		}
		refuseCompression(req);
		const encoding = this.#encodingOf(req);
		if (encoding === 'json') refuseCharset(req);
		const limit = this.#limits[encoding];
		if (Number(req.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit);
		exchange.inviteBody();
		const { signal } = exchange;
		if (encoding === 'json') {
			if (this.#spooled) return this.#readWithFiles(context(), signal, this.#spooled);
			return plain(await exchange.orAbort(this.#json(context(), signal)));
		}
		const form = await readMultipart(req, this.#limits, signal);
		return { value: form.fields, release: form.release };
	}

	/** Settles after an abort only when nothing is left of the files. */
	async #readWithFiles(
		ctx: Koa.Context,
		signal: AbortSignal,
		spooled: SpoolOptions,
	): Promise<Body> {
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
		throw plinthError('E_MEDIA_TYPE_UNSUPPORTED', {
			message: `This route takes ${takes}; ${found} was sent.`,
		});
	}
}

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

function parsedByHost(req: IncomingMessage): unknown {
	const { body } = req as { body?: unknown };
	if (body !== undefined) {
		refuseHostile(body);
		return body;
	}
	throw plinthError('E_BODY_MALFORMED', {
		message: 'The request body was read before Plinth saw it: mount Plinth before body parsers.',
	});
}

/** JSON is UTF-8 (RFC 8259 §8.1), of which ASCII is a part; the parameter means nothing, so an unusual one is a mistake. */
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
