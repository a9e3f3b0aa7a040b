import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type PlinthError, plinthError } from '../../contract/errors/coded-error.ts';
import type { BodyEncoding } from '../../contract/http/route.ts';
import type { Exchange } from '../exchange.ts';
import { chunksOf, cutOff, malformed } from './chunks.ts';

/**
 * Turns the body that the host's parser left in `req.body`, or in Koa's `ctx.request.body`, into a request. Throws
 * `E_BODY_MALFORMED` if it is neither bytes nor JSON, such as a form, whose files are lost, or cannot be serialized.
 */
export function bodyOfHost(req: IncomingMessage, encoding: BodyEncoding, hostBody?: () => unknown): IncomingMessage {
	const { body = hostBody?.() } = req as { body?: unknown };
	const bytes = body instanceof Uint8Array ? Buffer.from(body) : asJson(body, encoding);
	const { 'transfer-encoding': _, ...headers } = req.headers;
	return replayed({ ...headers, 'content-length': String(bytes.length) }, bytes);
}

function asJson(body: unknown, encoding: BodyEncoding): Buffer {
	if (body === undefined || encoding !== 'json') throw bodyLost();
	try {
		return Buffer.from(JSON.stringify(body));
	} catch (cause) {
		throw bodyLost(cause);
	}
}

function bodyLost(cause?: unknown): PlinthError {
	return plinthError('E_BODY_MALFORMED', {
		message:
			'The host read the request body before Plinth saw it: mount Plinth before body parsers and upload handlers.',
		cause,
	});
}

export function replayed(headers: IncomingHttpHeaders, bytes: Buffer): IncomingMessage {
	const stream = Readable.from([bytes], { objectMode: false });
	return Object.assign(stream, { headers }) as unknown as IncomingMessage;
}

/**
 * Reads a body of `length` bytes into memory. Rejects with `E_BODY_MALFORMED` when it has another length or ends early,
 * and with the reason of the exchange when that is aborted. Nothing more is read from the request then.
 */
export async function wholeBody(exchange: Exchange, length: number): Promise<Buffer> {
	const { req } = exchange;
	if (exchange.aborted) throw exchange.reason;
	// Most short bodies have arrived with their head.
	const first = req.read() as Buffer | null;
	if (first?.length === length && req.complete) return first;
	const chunks = first ? [first] : [];
	let received = first?.length ?? 0;
	for await (const chunk of chunksOf(req, Number.POSITIVE_INFINITY, exchange.signal)) {
		chunks.push(chunk);
		received += chunk.length;
		if (received > length) break;
	}
	if (received !== length) throw malformed(cutOff);
	return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
}
