import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type PlinthError, plinthError } from '../../contract/errors/coded-error.ts';
import type { BodyEncoding } from '../../contract/http/route.ts';
import type { Exchange } from '../exchange.ts';
import { cutOff, malformed } from './json/json.ts';

/**
 * The body that a parser of the host has left in `req.body`, or in `ctx.request.body` of Koa, as a request that can be
 * read and checked again. Throws `E_BODY_MALFORMED` for what is neither bytes nor JSON, as for forms, whose files are
 * gone, and for JSON that nests too deep or has a key that could reach a prototype.
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

/** A request whose body is in memory. */
export function replayed({ headers }: IncomingMessage, bytes: Buffer): IncomingMessage {
	const stream = Readable.from([bytes], { objectMode: false });
	return Object.assign(stream, { headers }) as unknown as IncomingMessage;
}

/**
 * Reads a body of `length` bytes into memory. Rejects with `E_BODY_MALFORMED` when it has another length or breaks off,
 * and with the reason of the exchange when that is aborted; nothing more is taken from the request then.
 */
export async function wholeBody(exchange: Exchange, length: number): Promise<Buffer> {
	const { req } = exchange;
	if (exchange.aborted) throw exchange.reason;
	// Most short bodies have come with their head.
	const first = req.read() as Buffer | null;
	if (first?.length === length && req.complete) return first;
	const chunks = first ? [first] : [];
	let received = first?.length ?? 0;
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const broken = () => reject(malformed(cutOff));
	const take = (chunk: Buffer) => {
		received += chunk.length;
		if (received > length) broken();
		else chunks.push(chunk);
	};
	req.on('data', take).on('end', resolve).on('close', broken).on('error', broken);
	try {
		await exchange.orAbort(promise);
	} finally {
		// The listener of `error` stays: without one an error would end the process.
		req.off('data', take).off('end', resolve).off('close', broken).pause();
	}
	if (received !== length) throw malformed(cutOff);
	return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
}
