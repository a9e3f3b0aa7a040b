import type { IncomingMessage } from 'node:http';
import { type PlinthError, plinthError } from '../../contract/errors/coded-error.ts';
import type { BodyEncoding } from '../../contract/http/route.ts';
import { refuseHostile } from './json/json.ts';
import { replayed } from './whole-body.ts';

const taken = new WeakSet<IncomingMessage>();

/** Says that a host has read the body of a request, where the request itself cannot tell. */
export function markTaken(req: IncomingMessage): void {
	taken.add(req);
}

/** Whether a body parser of the host has read from the request before us. */
export function isTaken(req: IncomingMessage): boolean {
	return req.readableEnded || req.readableDidRead || taken.has(req);
}

/**
 * The body that a parser of the host has left in `req.body`, or in `ctx.request.body` of Koa, as a request that can
 * be read again: so every check of ours is made as if nobody had read it. Bytes are taken as they are, and what JSON
 * has become as JSON. Throws `E_BODY_MALFORMED` for all else, as for forms, whose files are gone, and for JSON that
 * nests too deep or has a key that could reach a prototype.
 */
export function bodyOfHost(
	req: IncomingMessage,
	encoding: BodyEncoding,
	hostBody: (() => unknown) | undefined,
): IncomingMessage {
	const { body = hostBody?.() } = req as { body?: unknown };
	const bytes = body instanceof Uint8Array ? Buffer.from(body) : asJson(body, encoding);
	const { 'transfer-encoding': _, ...headers } = req.headers;
	const length = { 'content-length': String(bytes.length) };
	return replayed({ headers: { ...headers, ...length } } as IncomingMessage, bytes);
}

function asJson(body: unknown, encoding: BodyEncoding): Buffer {
	if (body === undefined || encoding !== 'json') throw lost();
	refuseHostile(body);
	try {
		return Buffer.from(JSON.stringify(body));
	} catch (cause) {
		throw lost(cause);
	}
}

function lost(cause?: unknown): PlinthError {
	return plinthError('E_BODY_MALFORMED', {
		message:
			'The host read the request body before Plinth saw it: mount Plinth before body parsers and upload handlers.',
		cause,
	});
}
