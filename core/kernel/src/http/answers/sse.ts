import { toWireError } from '../../contract/errors/coded-error.ts';
import type { ServerEvent } from '../../contract/http/reply.ts';
import { reportError } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import { type JsonPieces, jsonText } from './base64.ts';
import { abandon } from './binary.ts';
import { flushHead, type Headers, writeHead, writePiece } from './send.ts';

/** An event of a stream that can be resumed. */
export interface ResumableEvent extends ServerEvent {
	/** Milliseconds after which a client that has not read it is disconnected; less than the limit of other responses. */
	readonly unreadMs?: number;
}

/**
 * Responds with server-sent events. A comment is sent after every 15 seconds of silence; an error becomes a last frame
 * `event: error` with the four-key body; the iterator's `return` is called at the end or when the client disconnects.
 */
export async function sendEvents(
	exchange: Exchange,
	events: AsyncIterable<ResumableEvent>,
	headers: Headers,
): Promise<void> {
	const { res, req } = exchange;
	const iterator = events[Symbol.asyncIterator]();
	const currentFrame = { unsentBytes: 0 };
	try {
		exchange.slot?.countAsStream();
		writeHead(exchange, 200, {
			'cache-control': 'no-cache',
			'x-accel-buffering': 'no',
			...headers,
			'content-type': 'text/event-stream',
		});
		flushHead(res, headers);
		req.resume();
		while (req.method !== 'HEAD') {
			const { done, value } = await withHeartbeat(exchange, iterator.next());
			if (done) break;
			await writeEvent(exchange, value, currentFrame);
		}
		res.end();
	} catch (error) {
		if (exchange.hasDisconnected) return;
		// After a part of a frame no error can be sent: the connection is closed, which marks the frame as incomplete.
		if (!res.headersSent || currentFrame.unsentBytes > 0) throw error;
		const { body } = toWireError(reportError(exchange, error));
		res.end(frame({ event: 'error', data: JSON.stringify(body) }));
	} finally {
		abandon(exchange, iterator);
	}
}

/** One event in the format of the WHATWG HTML standard, §9.2. */
export function frame({ event, id, data, comment }: ServerEvent): string | JsonPieces {
	if (comment !== undefined) return `${field('', comment)}\n`;
	const names = `${field('event', event)}${field('id', id)}`;
	const text = typeof data === 'string' ? data : jsonText(data);
	// JSON escapes line breaks.
	if (typeof text !== 'string') return text.between(`${names}data: `, '\n\n');
	const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
	return `${names}${lines.join('')}\n`;
}

// Removes line breaks, with which the sender of a value could add frames of its own.
function field(name: string, value: string | undefined): string {
	return value === undefined ? '' : `${name}: ${value.replace(/[\r\n\0]+/g, ' ')}\n`;
}

/** Writes an event and updates `unsentBytes`, the rest of its frame. The other bytes are sent even after an abort. */
async function writeEvent(
	exchange: Exchange,
	{ unreadMs, ...event }: ResumableEvent,
	current: { unsentBytes: number },
): Promise<void> {
	const { clock, res } = exchange;
	const cancelTimer = unreadMs === undefined ? undefined : clock.after(unreadMs, () => res.destroy());
	try {
		const text = frame(event);
		if (typeof text === 'string') return await writePiece(exchange, text);
		current.unsentBytes = text.byteLength;
		for (const piece of text.pieces()) {
			current.unsentBytes -= piece.length;
			await writePiece(exchange, piece);
		}
	} finally {
		cancelTimer?.();
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
