import type { IncomingMessage } from 'node:http';
import { invalidValue, toWireError } from '../../contract/errors/coded-error.ts';
import type { ServerEvent } from '../../contract/http/reply.ts';
import type { Route } from '../../contract/http/route.ts';
import { reportError } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import { headerValues } from '../header-values.ts';
import { httpLimits } from '../limits.ts';
import { type JsonPieces, jsonText } from './base64.ts';
import { abandon } from './binary.ts';
import { flushHead, type Headers, writeHead, writePiece } from './send.ts';

/** An event of a stream that can be resumed. */
export interface ResumableEvent extends ServerEvent {
	/**
	 * How long a client may leave it unread, in milliseconds; less than any answer may be left. Then it is cut off, and
	 * goes on later.
	 */
	readonly unreadMs?: number;
}

/** What `Last-Event-ID` may be. An empty one is none. */
export const lastEventIdPattern: RegExp = /^[ -~]{0,200}$/;

/** Behind which event a client wants to go on, on routes that can. Throws `E_VALUE_INVALID`. */
export function lastEventIdOf(req: IncomingMessage, { response }: Pick<Route, 'response'>): string | undefined {
	const sent = response.resumes ? headerValues(req, 'last-event-id') : [];
	const [id] = sent;
	if (id === undefined) return undefined;
	if (sent.length === 1 && lastEventIdPattern.test(id)) return id === '' ? undefined : id;
	throw invalidValue('Last-Event-ID', 'Last-Event-ID: at most 200 printable ASCII characters are expected, once.');
}

/**
 * Answers with server-sent events. A comment breaks every silence of 15 seconds; an error becomes a last frame
 * `event: error` that carries the four-key body; the iterator's `return` is called when the client leaves.
 */
export async function sendEvents(
	exchange: Exchange,
	events: AsyncIterable<ServerEvent>,
	headers: Headers,
): Promise<void> {
	const { res, req } = exchange;
	const iterator = events[Symbol.asyncIterator]();
	const frames = new Frames(exchange);
	try {
		exchange.slot?.stream();
		writeHead(exchange, 200, {
			'cache-control': 'no-cache',
			'x-accel-buffering': 'no',
			...headers,
			'content-type': 'text/event-stream',
		});
		flushHead(res, headers);
		req.resume();
		if (req.method !== 'HEAD') await writeAll(exchange, iterator, frames);
		res.end();
	} catch (error) {
		if (exchange.left) return;
		// Behind a part of a frame nothing can be said: the connection is cut, so that nobody takes the part for the whole.
		if (!res.headersSent || frames.isUnderWay) throw error;
		const { body } = toWireError(reportError(exchange, error));
		res.end(textFrame({ event: 'error' }, JSON.stringify(body)));
	} finally {
		abandon(exchange, iterator);
	}
}

/** One event in the format of the WHATWG HTML standard, §9.2. */
export function frame(event: ServerEvent): string | JsonPieces {
	const data = typeof event.data === 'string' ? event.data : jsonText(event.data);
	if (typeof data === 'string') return textFrame(event, data);
	// JSON has its line breaks escaped.
	return data.between(`${namesOf(event)}data: `, '\n\n');
}

function textFrame(event: Omit<ServerEvent, 'data'>, data: string): string {
	const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
	return `${namesOf(event)}${lines.join('')}\n`;
}

/** Writes frames, and knows whether the last one is whole. */
class Frames {
	readonly #exchange: Exchange;
	isUnderWay = false;

	constructor(exchange: Exchange) {
		this.#exchange = exchange;
	}

	async write({ unreadMs, ...event }: ResumableEvent): Promise<void> {
		const { clock, res } = this.#exchange;
		const cancelTimer = unreadMs === undefined ? undefined : clock.after(unreadMs, () => res.destroy());
		try {
			await this.#write(frame(event));
		} finally {
			cancelTimer?.();
		}
	}

	async #write(text: string | JsonPieces): Promise<void> {
		// What has been written is on its way, even when the wait for it is broken off.
		if (typeof text === 'string') return writePiece(this.#exchange, text);
		let left = text.byteLength;
		for (const piece of text.pieces()) {
			left -= piece.length;
			this.isUnderWay = left > 0;
			await writePiece(this.#exchange, piece);
		}
	}
}

async function writeAll(exchange: Exchange, iterator: AsyncIterator<ServerEvent>, frames: Frames): Promise<void> {
	for (;;) {
		const step = await withHeartbeat(exchange, iterator.next());
		if (step.done) return;
		await frames.write(step.value);
	}
}

async function withHeartbeat<T>(exchange: Exchange, work: Promise<T>): Promise<T> {
	const { clock, res } = exchange;
	let cancel = clock.after(httpLimits.heartbeatMs, beat);
	function beat() {
		res.write(': ping\n\n');
		cancel = clock.after(httpLimits.heartbeatMs, beat);
	}
	try {
		return await exchange.orAbort(work);
	} finally {
		cancel();
	}
}

function namesOf({ event, id }: Omit<ServerEvent, 'data'>): string {
	return `${field('event', event)}${field('id', id)}`;
}

// A line break in a name would let its sender write frames of its own.
function field(name: string, value: string | undefined): string {
	return value === undefined ? '' : `${name}: ${value.replace(/[\r\n\0]+/g, ' ')}\n`;
}
