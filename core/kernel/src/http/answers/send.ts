import type { ServerResponse } from 'node:http';
import { atEndOfTick, type Exchange } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import { watchPace } from '../pace.ts';
import { http } from '../required.ts';
import { JsonPieces, jsonText } from './base64.ts';
import { acceptedEncoding, compress, minBytes } from './compress.ts';
import { matchesEtag } from './conditions.ts';

/** Headers of a response, with names in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** Defaults for every response: a browser may neither run nor frame it, nor guess its media type. */
export const securityHeaders: Headers = {
	'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
	'cross-origin-resource-policy': 'same-origin',
	'referrer-policy': 'no-referrer',
	'x-content-type-options': 'nosniff',
	'x-frame-options': 'DENY',
};

type Text = string | Uint8Array | JsonPieces;

/** A response that is a text. Its headers have a `content-length`. */
interface TextAnswer {
	readonly status: number;
	readonly text: Text;
	readonly headers: Headers;
	/** Whether the client has a current copy of the text. */
	readonly isFresh: boolean;
}

/** Writes status and headers, to be sent with the first bytes. A request body in transit ends the keep-alive. */
export function writeHead(exchange: Exchange, status: number, own: Headers): void {
	const { res, model } = exchange;
	if (status < 200 || status > 599) throw new RangeError(`A response cannot have the status ${status}.`);
	const headers: Record<string, string> = { 'x-request-id': exchange.requestId, ...securityHeaders };
	for (const name in own) headers[name.toLowerCase()] = own[name] as string;
	headers['openai-processing-ms'] = String(Math.max(0, exchange.clock.now() - exchange.startedAt));
	if (model !== undefined) headers['x-plinth-model'] = headerValueOf(model);
	if (isBodyInTransit(exchange)) res.shouldKeepAlive = false;
	// `writeHead` with all headers has a third of the cost, but would ignore headers and wrappers that a host has set.
	if (res.writeHead === http.ServerResponse.prototype.writeHead && res.getHeaderNames().length === 0) {
		// Node notes that the response has no body before it checks headers: an error after a bad one would have no body.
		if (status === 204 || status === 304) for (const name in own) http.validateHeaderValue(name, own[name] as string);
		// The phrase is explicit, because Node would reuse that of a head that it has refused before.
		res.writeHead(status, http.STATUS_CODES[status] ?? '', headers);
		return;
	}
	for (const [name, value] of Object.entries(headers)) {
		if (securityHeaders[name] !== value || !res.hasHeader(name)) res.setHeader(name, value);
	}
	res.statusCode = status;
}

/**
 * Sends the head alone. Clients decode a head as Latin-1, but Node encodes it like the text that is written with it, by
 * default in UTF-8. If bytes are written with it, Node uses Latin-1.
 */
export function flushHead(res: ServerResponse, headers: Headers): void {
	if (isAscii(headers) || !isUnwrapped(res)) res.flushHeaders();
	else res.write(new Uint8Array());
}

function isAscii(headers: Headers): boolean {
	for (const name in headers) if (!/^[\t -~]*$/.test(headers[name] as string)) return false;
	return true;
}

/** Whether writes reach the connection unchanged: a host may have wrapped the methods, for example to compress. */
export function isUnwrapped(res: ServerResponse): boolean {
	const { writeHead, write, end } = http.ServerResponse.prototype;
	return res.writeHead === writeHead && res.write === write && res.end === end;
}

/** The id of a model as a header value. In the config an id may have any characters. */
function headerValueOf(id: string): string {
	return /^[!-~]+$/.test(id) ? id : encodeURIComponent(id.toWellFormed());
}

/** Responds with JSON, compressed if the client accepts that; with 304 if the client has the `etag` of `own`. */
export function sendJson(exchange: Exchange, status: number, value: unknown, own: Headers = {}): Promise<void> {
	const text = jsonText(value);
	const length = typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;
	const type = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(length) };
	const headers = { 'cache-control': 'no-store', ...own, ...type };
	return sendText(exchange, { status, text, headers, isFresh: matchesEtag(exchange.req, own.etag) });
}

export async function sendText(exchange: Exchange, { status, text, headers: own, isFresh }: TextAnswer): Promise<void> {
	const { req, res } = exchange;
	const isLong = Number(own['content-length']) >= minBytes;
	const mayCompress = exchange.compresses && isLong && isUnwrapped(res) && !(text instanceof JsonPieces);
	const vary = [own.vary ?? res.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', ');
	// A weak tag, because the encodings of a text differ in their bytes (RFC 9110 §8.8.3).
	const etag = own.etag?.replace(/^(?!W\/)/, 'W/');
	const headers = mayCompress ? { ...own, vary, ...(etag && { etag }) } : own;
	if (isFresh) return sendNotModified(exchange, headers);
	const encoding = mayCompress ? acceptedEncoding(req.headers['accept-encoding']) : undefined;
	if (!mayCompress || !encoding) return sendWhole(exchange, status, text, headers);
	const bytes = await compress(text, encoding);
	const encoded = { ...headers, 'content-encoding': encoding, 'content-length': String(bytes.length) };
	return sendWhole(exchange, status, bytes, encoded);
}

/** Responds that the content of the client is still valid (304, RFC 9110 §15.4.5). */
export function sendNotModified(exchange: Exchange, headers: Headers): Promise<void> {
	// A browser applies the security headers of this response to its copy, so they equal those of the full response.
	const names = ['etag', 'last-modified', 'cache-control', 'vary', ...Object.keys(securityHeaders)];
	const entries = Object.entries(headers).filter(([name]) => names.includes(name));
	return sendWhole(exchange, 304, '', Object.fromEntries(entries));
}

/** Responds with a text, whole or in pieces, or with an empty body. `HEAD` gets the headers. */
export async function sendWhole(exchange: Exchange, status: number, text: Text, headers: Headers): Promise<void> {
	const { req, res } = exchange;
	const drainsBody = isBodyInTransit(exchange);
	const body = req.method === 'HEAD' ? '' : text;
	writeHead(exchange, status, headers);
	exchange.clearDeadline();
	const isShort = typeof body === 'string' && body.length <= httpLimits.pieceBytes;
	if (isShort && !drainsBody) {
		// Node encodes a head like the text that follows it.
		const bytes = isAscii(headers) ? body : Buffer.from(body);
		if (isUnwrapped(res)) atEndOfTick(() => res.end(bytes));
		else res.end(bytes);
		// Node itself discards a request body that is complete.
		if (!req.complete || !req.socket) req.resume();
		return;
	}
	if (body === '') flushHead(res, headers);
	// A short response is sent even when the exchange is aborted: it may be the error of the abort.
	else if (isShort) res.write(Buffer.from(body));
	else {
		const bytes = typeof body === 'string' ? Buffer.from(body) : body;
		for (const piece of bytes instanceof JsonPieces ? bytes.pieces() : pieces(bytes)) await writePiece(exchange, piece);
	}
	// To end a connection with unread input would reset it: the client would see a broken pipe instead of the response.
	if (drainsBody) await drain(exchange);
	res.end();
}

/**
 * Writes one piece and waits until the system has accepted it, so that the next is only produced when there is room.
 * Rejects when the exchange is aborted. A client that leaves a piece unread for too long is disconnected.
 */
export async function writePiece(exchange: Exchange, piece: Uint8Array | string): Promise<void> {
	const { res, clock } = exchange;
	const written = new Promise<void>((resolve) => {
		// An error means that the client has disconnected. `close` follows and aborts the signal.
		res.write(piece, (error) => (error ? res.destroy() : resolve()));
	});
	const cancelTimer = clock.after(httpLimits.stallMs, () => res.destroy());
	try {
		await exchange.orAbort(written);
	} finally {
		cancelTimer();
	}
}

/** Splits a chunk into pieces that can be written each within a bounded time. */
export function* pieces(chunk: Uint8Array): Generator<Uint8Array> {
	for (let at = 0; at < chunk.byteLength; at += httpLimits.pieceBytes) {
		yield chunk.subarray(at, at + httpLimits.pieceBytes);
	}
}

// A smaller body is read anyway, and the connection stays open.
const smallBodyBytes = 65_536;

function isBodyInTransit({ req, isAwaitingContinue, aborted }: Exchange): boolean {
	// Without a socket (fetch) there is no connection to keep in a valid state.
	if (req.complete || isAwaitingContinue || !req.socket) return false;
	if (aborted || req.headers['transfer-encoding'] !== undefined) return true;
	return Number(req.headers['content-length'] ?? 0) > smallBodyBytes;
}

function drain(exchange: Exchange): Promise<void> {
	const { req, clock, principal, aborted } = exchange;
	let bytesLeft: number = principal ? httpLimits.drain : httpLimits.drainUnauthenticated;
	const timeoutMs = principal ? httpLimits.drainMs : httpLimits.drainUnauthenticatedMs;
	return new Promise((resolve) => {
		const cancelTimer = clock.after(aborted ? httpLimits.errorGraceMs : timeoutMs, done);
		const stopPaceWatch = watchPace(req, clock, done);
		function count(chunk: Buffer) {
			bytesLeft -= chunk.length;
			if (bytesLeft < 0) done();
		}
		function done() {
			cancelTimer();
			stopPaceWatch();
			req.off('data', count);
			req.pause();
			resolve();
		}
		req.on('data', count);
		for (const event of ['end', 'close', 'error']) req.once(event, done);
		if (!aborted) exchange.onAbort(done);
		req.resume();
	});
}
