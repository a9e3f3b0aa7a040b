import type { ServerResponse } from 'node:http';
import { atEndOfTick } from '../at-end-of-tick.ts';
import type { Exchange } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import { watchPace } from '../pace.ts';
import { http } from '../required.ts';
import { jsonText } from './base64.ts';
import { acceptedEncoding, compress, minBytes } from './compress.ts';
import { isUnchanged } from './conditions.ts';

/** Headers of an answer, lower-case names. */
export type Headers = Readonly<Record<string, string>>;

/** Sent with every answer that sets none of its own: a browser may neither run, frame nor sniff it. */
export const securityHeaders: Headers = {
	'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
	'cross-origin-resource-policy': 'same-origin',
	'referrer-policy': 'no-referrer',
	'x-content-type-options': 'nosniff',
	'x-frame-options': 'DENY',
};

/** Writes status and headers, which go out with the first bytes. The connection ends where the body is under way. */
export function writeHead(exchange: Exchange, status: number, own: Headers): void {
	const { res, model } = exchange;
	const headers: Record<string, string> = { 'x-request-id': exchange.requestId, ...securityHeaders };
	for (const name in own) headers[name.toLowerCase()] = own[name] as string;
	headers['openai-processing-ms'] = String(Math.max(0, exchange.clock.now() - exchange.startedAt));
	if (model !== undefined) headers['x-plinth-model'] = visible(model);
	if (isBodyUnderWay(exchange)) res.shouldKeepAlive = false;
	// Node takes a whole head at a third of the cost, but would drop what a host has set or wrapped.
	if (res.writeHead === http.ServerResponse.prototype.writeHead && res.getHeaderNames().length === 0) {
		// Node notes that there is no body before it looks at the headers: an error behind a bad one would have none.
		if (status === 204 || status === 304) for (const name in own) http.validateHeaderValue(name, own[name] as string);
		// Nor does it forget the phrase of a head that it has refused.
		res.writeHead(status, http.STATUS_CODES[status] ?? '', headers);
		return;
	}
	for (const [name, value] of Object.entries(headers)) {
		if (securityHeaders[name] !== value || !res.hasHeader(name)) res.setHeader(name, value);
	}
	res.statusCode = status;
}

/**
 * Sends the head by itself. Node spells a head in the encoding of the text that goes with it, UTF-8 unless another is
 * named, but readers take it for Latin-1: behind bytes it stays that.
 */
export function flushHead(res: ServerResponse, headers: Headers): void {
	if (isAscii(headers) || !isBare(res)) res.flushHeaders();
	else res.write(new Uint8Array());
}

function isAscii(headers: Headers): boolean {
	for (const name in headers) if (!/^[\t -~]*$/.test(headers[name] as string)) return false;
	return true;
}

/** Whether what is written goes to the connection as it is: a host may have wrapped that too, to compress it. */
export function isBare(res: ServerResponse): boolean {
	const { writeHead, write, end } = http.ServerResponse.prototype;
	return res.writeHead === writeHead && res.write === write && res.end === end;
}

/** An id as a header can carry it: whoever writes the config may use any characters. */
function visible(id: string): string {
	return /^[!-~]+$/.test(id) ? id : encodeURIComponent(id.toWellFormed());
}

/** Answers with JSON, in the encoding that the client prefers; with 304 where `own` has an `etag` that it knows. */
export async function sendJson(exchange: Exchange, status: number, value: unknown, own: Headers = {}): Promise<void> {
	const { req, res } = exchange;
	const text = jsonText(value);
	const length = typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;
	const headers: Record<string, string> = {
		'cache-control': 'no-store',
		...own,
		'content-type': 'application/json; charset=utf-8',
		'content-length': String(length),
	};
	const mayShrink = exchange.compresses && length >= minBytes && typeof text === 'string' && isBare(res);
	if (mayShrink) headers.vary = [own.vary ?? res.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', ');
	if (isUnchanged(req, own.etag)) return sendUnchanged(exchange, headers);
	const encoding = mayShrink ? acceptedEncoding(req.headers['accept-encoding']) : undefined;
	if (!mayShrink || !encoding) return sendWhole(exchange, status, text, headers);
	const bytes = await compress(text, encoding);
	headers['content-encoding'] = encoding;
	headers['content-length'] = String(bytes.length);
	return sendWhole(exchange, status, { pieces: () => pieces(bytes) }, headers);
}

/** Says that what the client has is still the same (RFC 9110 §15.4.5). */
export function sendUnchanged(exchange: Exchange, headers: Headers): Promise<void> {
	const names = ['etag', 'last-modified', 'cache-control', 'vary'];
	const kept = Object.entries(headers).filter(([name]) => names.includes(name));
	return sendWhole(exchange, 304, '', Object.fromEntries(kept));
}

/** Answers with what is at hand: text, whole or in pieces, or nothing. `HEAD` gets the headers. */
export async function sendWhole(
	exchange: Exchange,
	status: number,
	text: string | { pieces(): Iterable<Uint8Array> },
	headers: Headers,
): Promise<void> {
	const { req, res } = exchange;
	const drainsBody = isBodyUnderWay(exchange);
	const body = req.method === 'HEAD' ? '' : text;
	writeHead(exchange, status, headers);
	exchange.clearDeadline();
	const isShort = typeof body === 'string' && body.length <= httpLimits.pieceBytes;
	if (isShort && !drainsBody) {
		// Node writes a head in the encoding of the text behind it.
		const bytes = isAscii(headers) ? body : Buffer.from(body);
		if (isBare(res)) atEndOfTick(() => res.end(bytes));
		else res.end(bytes);
		// Node itself discards a body that is complete.
		if (!req.complete || !req.socket) req.resume();
		return;
	}
	if (body === '') flushHead(res, headers);
	// A short answer goes out even when the exchange is aborted: it may be the reason.
	else if (isShort) res.write(Buffer.from(body));
	else {
		const all = typeof body === 'string' ? pieces(Buffer.from(body)) : body.pieces();
		for (const piece of all) await writePiece(exchange, piece);
	}
	// The whole answer is on its way before the connection ends: ending with unread input would reset it, and the
	// client would see a broken pipe in place of the reason.
	if (drainsBody) await drain(exchange);
	res.end();
}

/**
 * Writes one piece and waits until the socket has taken it, so that the next one is only asked for when there is room.
 * Rejects when the exchange is aborted. A client that leaves a piece unread for too long is cut off; the time counts
 * from when it has taken what was written `before`.
 */
export async function writePiece(
	exchange: Exchange,
	piece: Uint8Array | string,
	before?: Promise<void>,
): Promise<void> {
	const { res, clock } = exchange;
	const written = new Promise<void>((resolve) => {
		// An error here is a client that left; `close` follows and aborts the signal.
		res.write(piece, (error) => (error ? res.destroy() : resolve()));
	});
	if (before) await before;
	const cancelTimer = clock.after(httpLimits.stallMs, () => res.destroy());
	try {
		await exchange.orAbort(written);
	} finally {
		cancelTimer();
	}
}

/** Cuts a chunk into pieces of which each is written within a bounded time. */
export function* pieces(chunk: Uint8Array): Generator<Uint8Array> {
	for (let at = 0; at < chunk.byteLength; at += httpLimits.pieceBytes) {
		yield chunk.subarray(at, at + httpLimits.pieceBytes);
	}
}

// Less than this is read anyway, and the connection lives on.
const smallBody = 65_536;

function isBodyUnderWay({ req, isBodyHeldBack }: Exchange): boolean {
	// Without a socket (fetch) there is no connection to keep in order.
	if (req.complete || isBodyHeldBack || !req.socket) return false;
	if (req.headers['transfer-encoding'] !== undefined) return true;
	return Number(req.headers['content-length'] ?? 0) > smallBody;
}

function drain(exchange: Exchange): Promise<void> {
	const { req, clock, principal, aborted } = exchange;
	let room: number = principal ? httpLimits.drain : httpLimits.drainStrangers;
	const timeoutMs = principal ? httpLimits.drainMs : httpLimits.drainStrangersMs;
	return new Promise((resolve) => {
		const cancelTimer = clock.after(aborted ? httpLimits.errorGraceMs : timeoutMs, done);
		const endPace = watchPace(req, clock, done);
		function count(chunk: Buffer) {
			room -= chunk.length;
			if (room < 0) done();
		}
		function done() {
			cancelTimer();
			endPace();
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
