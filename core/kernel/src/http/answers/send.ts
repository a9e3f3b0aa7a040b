import { ServerResponse, STATUS_CODES, validateHeaderValue } from 'node:http';
import { atEndOfTick } from '../at-end-of-tick.ts';
import type { Exchange } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import { watchPace } from '../pace.ts';
import { type JsonPieces, jsonText } from './base64.ts';

/** Headers of an answer, lower-case names. */
export type Headers = Readonly<Record<string, string>>;

/**
 * Sent with every answer: nothing here is a page, so a browser may neither run, frame nor sniff it. An answer that is
 * one says so in headers of its own. Which pages may read it is CORS's matter.
 */
export const securityHeaders: Headers = {
	'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
	'cross-origin-resource-policy': 'same-origin',
	'referrer-policy': 'no-referrer',
	'x-content-type-options': 'nosniff',
	'x-frame-options': 'DENY',
};

const protection = Object.entries(securityHeaders);

/**
 * Sets status and headers; they go with the first byte. The connection closes behind the answer when the request's
 * body is still under way.
 */
export function writeHead(exchange: Exchange, status: number, headers: Headers): void {
	const { res } = exchange;
	res.setHeader('x-request-id', exchange.requestId);
	for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
	for (const [name, value] of protection) {
		if (!res.hasHeader(name)) res.setHeader(name, value);
	}
	res.setHeader('openai-processing-ms', spentMs(exchange));
	if (exchange.model !== undefined) res.setHeader('x-plinth-model', visible(exchange.model));
	if (isBodyUnderWay(exchange)) res.shouldKeepAlive = false;
	res.statusCode = status;
}

/**
 * The same at once, for an answer whose body is at hand or on its way: Node takes a whole list of headers at a third
 * of the cost.
 */
export function writeWholeHead(exchange: Exchange, status: number, headers: Headers): void {
	const { res } = exchange;
	if (!takesList(res)) {
		writeHead(exchange, status, headers);
		return;
	}
	const given = Object.keys(headers);
	// Names in another case may repeat ours, which only `setHeader` notices.
	if (given.some((name) => name !== name.toLowerCase())) {
		writeHead(exchange, status, headers);
		return;
	}
	// Node notes that there will be no body before it looks at headers, and an error behind one that it refuses would
	// have none.
	if (status === 204 || status === 304) {
		for (const name of given) validateHeaderValue(name, headers[name] as string);
	}
	const list = ['x-request-id', exchange.requestId];
	for (const name of given) list.push(name, headers[name] as string);
	for (const [name, value] of protection) {
		if (!(name in headers)) list.push(name, value);
	}
	list.push('openai-processing-ms', spentMs(exchange));
	if (exchange.model !== undefined) list.push('x-plinth-model', visible(exchange.model));
	if (isBodyUnderWay(exchange)) res.shouldKeepAlive = false;
	// Named, for Node keeps the phrase of a head that it has refused, and an error would go out as `500 OK`.
	res.writeHead(status, STATUS_CODES[status] ?? '', list);
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
	const { writeHead, write, end } = ServerResponse.prototype;
	return res.writeHead === writeHead && res.write === write && res.end === end;
}

/** A host may have set headers, or wrapped what writes them; fetch has a response of its own. */
function takesList(res: ServerResponse): boolean {
	return res.writeHead === ServerResponse.prototype.writeHead && res.getHeaderNames().length === 0;
}

/** An id as a header can carry it: whoever writes the config may use any characters. */
function visible(id: string): string {
	return /^[!-~]+$/.test(id) ? id : encodeURIComponent(id.toWellFormed());
}

function spentMs({ clock, startedAt }: Exchange): string {
	return String(Math.max(0, clock.now() - startedAt));
}

/** Answers with JSON. */
export function sendJson(exchange: Exchange, status: number, value: unknown, headers: Headers = {}): Promise<void> {
	const text = jsonText(value);
	const length = typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;
	return sendWhole(exchange, status, text, {
		'cache-control': 'no-store',
		...headers,
		'content-type': 'application/json; charset=utf-8',
		'content-length': String(length),
	});
}

/** Answers with what is at hand: text, whole or in pieces, or nothing. `HEAD` gets the headers. */
export async function sendWhole(
	exchange: Exchange,
	status: number,
	text: string | JsonPieces,
	headers: Headers,
): Promise<void> {
	const { req, res } = exchange;
	const drainsBody = isBodyUnderWay(exchange);
	const body = req.method === 'HEAD' ? '' : text;
	writeWholeHead(exchange, status, headers);
	exchange.clearDeadline();
	const large = typeof body !== 'string' || body.length > httpLimits.pieceBytes;
	if (!drainsBody && !large) {
		// Of ASCII both are the same, and Node need not look for more.
		const encoding = headers['content-length'] === String(body.length) ? 'latin1' : 'utf8';
		const sent = encoding === 'latin1' || isAscii(headers) ? body : Buffer.from(body);
		if (isBare(res)) atEndOfTick(() => res.end(sent, encoding));
		else res.end(sent, encoding);
		// What is complete Node throws away itself.
		if (!req.complete || !req.socket) req.resume();
		return;
	}
	// A short answer goes out even when the exchange is aborted: it may be the reason.
	if (body === '' || !isAscii(headers)) flushHead(res, headers);
	if (body !== '' && !large) res.write(body);
	else if (large) for (const piece of piecesOf(body)) await writePiece(exchange, piece);
	// The whole answer is on its way before the connection ends: ending with unread input would reset it, and the
	// client would see a broken pipe in place of the reason.
	if (drainsBody) await drain(exchange);
	res.end();
}

/**
 * Writes one piece and waits until the socket has taken it, so that the next one is only asked for when there is room.
 * Rejects when the exchange is aborted. A client that leaves a piece unread for too long is cut off.
 */
export async function writePiece(exchange: Exchange, piece: Uint8Array | string): Promise<void> {
	const { res, clock } = exchange;
	const cancelTimer = clock.after(httpLimits.stallMs, () => res.destroy());
	const written = new Promise<void>((resolve) => {
		// An error here is a client that left; `close` follows and aborts the signal.
		res.write(piece, (error) => (error ? res.destroy() : resolve()));
	});
	try {
		await exchange.orAbort(written);
	} finally {
		cancelTimer();
	}
}

function piecesOf(text: string | JsonPieces): Iterable<Uint8Array> {
	return typeof text === 'string' ? pieces(Buffer.from(text)) : text.pieces();
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
