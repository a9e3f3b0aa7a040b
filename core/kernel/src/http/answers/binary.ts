import { plinthError } from '../../contract/errors/coded-error.ts';
import type { Answer, BinaryOptions, ByteSource } from '../../contract/http/reply.ts';
import type { ByteRange } from '../../contract/ports/blob-store.ts';
import type { Exchange } from '../exchange.ts';
import { isUnchanged, isUnmodified, meetsConditions } from './conditions.ts';
import { attachment } from './filename.ts';
import { readPooled } from './pooled-reader.ts';
import { requestedRange } from './range.ts';
import { pieces, sendUnchanged, sendWhole, writeHead, writePiece } from './send.ts';

/** Answers with bytes, whole or one window of them, at the pace of the reader. */
export async function sendBinary(
	exchange: Exchange,
	{ source, options, status, headers: own }: Extract<Answer, { type: 'binary' }>,
): Promise<void> {
	const { req } = exchange;
	const headers: Record<string, string> = { ...describe(source, options), ...own };
	const isKnown = isUnchanged(req, headers.etag) || isUnmodified(req, headers);
	let range: ByteRange | undefined;
	try {
		if (!meetsConditions(req, headers)) throw plinthError('E_PRECONDITION_FAILED');
		if (options.ranges && source.size !== undefined && status === 200 && !isKnown) {
			range = requestedRange(req, source.size, options.etag);
		}
	} catch (error) {
		discardSource(exchange, source);
		throw error;
	}
	if (isKnown || req.method === 'HEAD') {
		discardSource(exchange, source);
		if (source.check) await exchange.orAbort(source.check());
		return isKnown ? sendUnchanged(exchange, headers) : sendWhole(exchange, status, '', headers);
	}
	if (range) {
		headers['content-range'] = `bytes ${range.start}-${range.end}/${source.size}`;
		headers['content-length'] = String(range.end - range.start + 1);
	}
	await pump(exchange, source, range, () => writeHead(exchange, range ? 206 : status, headers));
}

/** Whoever leaves while the bytes are being opened must not leave an open file behind. */
async function openSource(
	exchange: Exchange,
	source: ByteSource,
	range: ByteRange | undefined,
): Promise<AsyncIterable<Uint8Array>> {
	const opening = Promise.resolve(source.open(range));
	try {
		return await exchange.orAbort(opening);
	} catch (error) {
		exchange.waitFor(opening.then((late) => late[Symbol.asyncIterator]().return?.()));
		throw error;
	}
}

/** Ends an iterator whose rest nobody wants. Does not wait: a generator that is busy returns when it yields. */
export function abandon(exchange: Exchange, iterator: AsyncIterator<unknown>): void {
	exchange.waitFor((async () => iterator.return?.())());
}

/** Tells a source that its bytes will not be sent. */
export function discardSource(exchange: Exchange, source: ByteSource): void {
	exchange.waitFor((async () => source.discard?.())());
}

async function pump(
	exchange: Exchange,
	source: ByteSource,
	range: ByteRange | undefined,
	head: () => void,
): Promise<void> {
	const { res, req } = exchange;
	const opened = await openSource(exchange, source, range);
	const pooled = readPooled(opened, res);
	const iterator = pooled ?? opened[Symbol.asyncIterator]();
	const expected = range ? range.end - range.start + 1 : source.size;
	let sent = 0;
	try {
		// The first piece comes before the head: a source that cannot be read is still an error with a status.
		let step = await exchange.orAbort(iterator.next());
		head();
		req.resume();
		// What is stored has an end; how long it takes is the reader's affair, and a reader that stalls is cut off.
		if (expected !== undefined) exchange.clearDeadline();
		while (!step.done) {
			sent += step.value.byteLength;
			if (expected !== undefined && sent > expected) break;
			await writeChunk(exchange, step.value);
			if (sent === expected) exchange.allSent();
			step = await exchange.orAbort(iterator.next());
		}
		if (expected !== undefined && sent !== expected) {
			throw new Error(`The source gave ${sent} bytes in place of ${expected}.`);
		}
		pooled?.finish();
		res.end();
	} finally {
		abandon(exchange, iterator);
	}
}

/** The socket begins with a piece while it tells that it has taken the one before. */
async function writeChunk(exchange: Exchange, chunk: Uint8Array): Promise<void> {
	let taken: Promise<void> | undefined;
	for (const piece of pieces(chunk)) {
		const next = writePiece(exchange, piece, taken);
		// When the exchange is aborted, both reject.
		next.catch(() => {});
		await taken;
		taken = next;
	}
	await taken;
}

function describe(source: ByteSource, options: BinaryOptions): Record<string, string> {
	const { etag, filename, ranges, mediaType } = options;
	return {
		'content-type': mediaType,
		// A shared cache does not know that x-api-key guards this; the owner's own may ask again with the tag.
		'cache-control': 'private, no-cache',
		// Stored bytes may be HTML or SVG that somebody uploaded: a browser must not run them as ours.
		'content-security-policy': "sandbox; default-src 'none'",
		...(source.size === undefined ? {} : { 'content-length': String(source.size) }),
		...(etag === undefined ? {} : { etag: `"${etag}"` }),
		...(ranges && source.size !== undefined ? { 'accept-ranges': 'bytes' } : {}),
		...(filename === undefined ? {} : { 'content-disposition': attachment(filename) }),
	};
}
