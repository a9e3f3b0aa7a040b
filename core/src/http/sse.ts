import { toWireError } from '../coded-error.ts';
import { abandon } from './binary.ts';
import { reportError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { httpLimits } from './limits.ts';
import type { ServerEvent } from './reply.ts';
import { type Headers, writeHead, writePiece } from './send.ts';

/**
 * Answers with server-sent events. A comment breaks every silence of 15 seconds; an error becomes a last frame `event: error`
 * that carries the four-key body; the iterator's `return` is called when the client leaves.
 */
export async function sendEvents(
	exchange: Exchange,
	events: AsyncIterable<ServerEvent>,
	headers: Headers,
): Promise<void> {
	const { res, req } = exchange;
	const iterator = events[Symbol.asyncIterator]();
	try {
		exchange.place?.stream();
		writeHead(exchange, 200, {
			'cache-control': 'no-cache',
			'x-accel-buffering': 'no',
			...headers,
			'content-type': 'text/event-stream',
		});
		res.flushHeaders();
		req.resume();
		if (req.method !== 'HEAD') await writeAll(exchange, iterator);
		res.end();
	} catch (error) {
		if (exchange.left) return;
		if (!res.headersSent) throw error;
		const { body } = toWireError(reportError(exchange, error));
		res.end(frame({ event: 'error', data: body }));
	} finally {
		abandon(exchange, iterator);
	}
}

/** One event in the format of the WHATWG HTML standard, §9.2. */
export function frame(event: ServerEvent): string {
	const data = typeof event.data === 'string' ? event.data : (JSON.stringify(event.data) ?? 'null');
	const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
	return `${field('event', event.event)}${field('id', event.id)}${lines.join('')}\n`;
}

async function writeAll(exchange: Exchange, iterator: AsyncIterator<ServerEvent>): Promise<void> {
	for (;;) {
		const step = await withHeartbeat(exchange, iterator.next());
		if (step.done) return;
		await writePiece(exchange, frame(step.value));
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

// A line break in a name would let its sender write frames of its own.
function field(name: string, value: string | undefined): string {
	return value === undefined ? '' : `${name}: ${value.replace(/[\r\n\0]+/g, ' ')}\n`;
}
