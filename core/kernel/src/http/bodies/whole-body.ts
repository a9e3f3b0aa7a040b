import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Exchange } from '../exchange.ts';
import { cutOff, malformed } from './json/json.ts';

/**
 * Reads a body of `length` bytes into memory, in one piece when it came so. Rejects with `E_BODY_MALFORMED` when it
 * has another length or breaks off, and with the reason of the exchange when that is aborted; nothing more is taken
 * from the request then.
 */
export function wholeBody(exchange: Exchange, length: number): Promise<Buffer> {
	const { req } = exchange;
	if (exchange.aborted) return Promise.reject(exchange.reason);
	// A short body has come with its head, mostly.
	const first = req.read() as Buffer | null;
	if (first?.length === length && req.complete) return Promise.resolve(first);
	return collected(exchange, length, first);
}

/** A request whose body is at hand, for whoever reads requests. */
export function replayed({ headers }: IncomingMessage, bytes: Buffer): IncomingMessage {
	const stream = Readable.from([bytes], { objectMode: false });
	return Object.assign(stream, { headers }) as unknown as IncomingMessage;
}

function collected(exchange: Exchange, length: number, first: Buffer | null): Promise<Buffer> {
	const { req } = exchange;
	const chunks = first ? [first] : [];
	let received = first?.length ?? 0;
	return new Promise((resolve, reject) => {
		const cancelTimer = exchange.onAbort(() => fail(exchange.reason));
		const detach = () => {
			cancelTimer();
			req.off('data', take);
			req.off('end', end);
			req.off('error', broken);
			req.off('close', broken);
			// One that comes later would end the process without a listener.
			req.on('error', () => {});
		};
		const fail = (reason: unknown) => {
			detach();
			// Whoever answers then may read it to its end.
			req.pause();
			reject(reason);
		};
		const broken = () => fail(malformed(cutOff));
		const take = (chunk: Buffer) => {
			received += chunk.length;
			if (received > length) broken();
			else chunks.push(chunk);
		};
		const end = () => {
			if (received !== length) return broken();
			detach();
			resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
		};
		req.on('data', take);
		req.on('end', end);
		req.on('error', broken);
		req.on('close', broken);
	});
}
