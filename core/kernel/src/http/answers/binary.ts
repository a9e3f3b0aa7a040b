import { plinthError } from '../../contract/errors/coded-error.ts';
import type { Answer, BinaryOptions, ByteSource } from '../../contract/http/reply.ts';
import type { ByteRange } from '../../contract/ports/blob-store.ts';
import type { Exchange } from '../exchange.ts';
import { isUnmodified, matchesEtag, meetsConditions, requestedRange } from './conditions.ts';
import { attachment } from './filename.ts';
import { readPooled } from './pooled-reader.ts';
import { pieces, sendNotModified, sendText, sendWhole, writeHead, writePiece } from './send.ts';

/** The media types of texts, which are worth compressing. */
const isText = /^text\/(?!event-stream)|^application\/(?:json|javascript|xml)\b|\+xml\b/i;

export async function sendBinary(
	exchange: Exchange,
	{ source, options, status, headers: own }: Extract<Answer, { type: 'binary' }>,
): Promise<void> {
	const { req } = exchange;
	const headers: Record<string, string> = { ...headersOf(source, options), ...own };
	const isFresh = matchesEtag(req, headers.etag) || isUnmodified(req, headers);
	let range: ByteRange | undefined;
	try {
		if (!meetsConditions(req, headers)) throw plinthError('E_PRECONDITION_FAILED');
		if (options.ranges && source.size !== undefined && status === 200 && !isFresh) {
			range = requestedRange(req, source.size, options.etag);
		}
	} catch (error) {
		discardSource(exchange, source);
		throw error;
	}
	if (source.bytes && isText.test(options.mediaType) && !options.ranges) {
		return sendText(exchange, { status, text: source.bytes, headers, isFresh });
	}
	if (isFresh || req.method === 'HEAD') {
		discardSource(exchange, source);
		if (source.check) await exchange.orAbort(source.check());
		return isFresh ? sendNotModified(exchange, headers) : sendWhole(exchange, status, '', headers);
	}
	if (range) {
		headers['content-range'] = `bytes ${range.start}-${range.end}/${source.size}`;
		headers['content-length'] = String(range.end - range.start + 1);
	}
	await writeSource(exchange, source, range, () => writeHead(exchange, range ? 206 : status, headers));
}

/** Opens the source. If the client disconnects meanwhile, the source is closed once it has opened. */
async function openSource(exchange: Exchange, source: ByteSource, range: ByteRange | undefined) {
	const opening = Promise.resolve(source.open(range));
	try {
		return await exchange.orAbort(opening);
	} catch (error) {
		exchange.waitFor(opening.then((late) => late[Symbol.asyncIterator]().return?.()));
		throw error;
	}
}

/** Ends an iterator whose rest is not needed. Does not wait: a generator that is busy returns when it yields. */
export function abandon(exchange: Exchange, iterator: AsyncIterator<unknown>): void {
	exchange.waitFor((async () => iterator.return?.())());
}

export function discardSource(exchange: Exchange, source: ByteSource): void {
	exchange.waitFor((async () => source.discard?.())());
}

async function writeSource(exchange: Exchange, source: ByteSource, range: ByteRange | undefined, head: () => void) {
	const { res, req } = exchange;
	const opened = await openSource(exchange, source, range);
	const pooled = readPooled(opened, res);
	const iterator = pooled ?? opened[Symbol.asyncIterator]();
	const expected = range ? range.end - range.start + 1 : source.size;
	let sent = 0;
	try {
		// Read the first piece before the head is written, so that an unreadable source is an error with a status.
		let step = await exchange.orAbort(iterator.next());
		head();
		req.resume();
		// Stored content has an end. The client decides how fast it reads, and a client that stalls is disconnected.
		if (expected !== undefined) exchange.clearDeadline();
		while (!step.done) {
			sent += step.value.byteLength;
			if (expected !== undefined && sent > expected) break;
			for (const piece of pieces(step.value)) await writePiece(exchange, piece);
			if (sent === expected) exchange.markAllSent();
			step = await exchange.orAbort(iterator.next());
		}
		if (expected !== undefined && sent !== expected) {
			throw new Error(`The source returned ${sent} bytes instead of ${expected}.`);
		}
		pooled?.finish();
		res.end();
	} finally {
		abandon(exchange, iterator);
	}
}

function headersOf(source: ByteSource, options: BinaryOptions): Record<string, string> {
	const { etag, filename, ranges, mediaType } = options;
	return {
		'content-type': mediaType,
		// A shared cache does not know that x-api-key protects the content. A private cache may revalidate with the tag.
		'cache-control': 'private, no-cache',
		// Stored bytes may be uploaded HTML or SVG: a browser must not run them with the origin of this server.
		'content-security-policy': "sandbox; default-src 'none'",
		...(source.size === undefined ? {} : { 'content-length': String(source.size) }),
		...(etag === undefined ? {} : { etag: `"${etag}"` }),
		...(ranges && source.size !== undefined ? { 'accept-ranges': 'bytes' } : {}),
		...(filename === undefined ? {} : { 'content-disposition': attachment(filename) }),
	};
}
