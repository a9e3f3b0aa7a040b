import { isReply, Reply } from '../../contract/http/reply.ts';
import type { Exchange } from '../exchange.ts';
import { abandon, letGoOf, sendBinary } from './binary.ts';
import { sendJson, sendWhole } from './send.ts';
import { sendEvents } from './sse.ts';

/** Sends what a handler returned: a value as JSON, nothing as an empty answer, or a reply. `status` is the route's. */
export function respond(exchange: Exchange, result: unknown, status?: number): Promise<void> {
	const reply = toReply(result, status);
	switch (reply.type) {
		case 'json':
			return sendJson(exchange, reply.status ?? status ?? 200, reply.value, reply.headers);
		case 'binary':
			return sendBinary(exchange, reply.source, { status: status ?? 200, ...reply.options });
		case 'events':
			return sendEvents(exchange, reply.events, reply.headers);
		case 'redirect':
			return sendWhole(exchange, reply.status, '', {
				location: reply.location,
				'content-length': '0',
			});
		case 'empty':
			return sendWhole(exchange, reply.status, '', reply.headers);
		case 'forward':
			return reply.done;
	}
}

/** Lets go of a reply that comes too late to be sent. */
export function discard(exchange: Exchange, result: unknown): void {
	if (!isReply(result)) return;
	if (result.type === 'events') abandon(exchange, result.events[Symbol.asyncIterator]());
	if (result.type === 'binary') letGoOf(exchange, result.source);
}

function toReply(result: unknown, status?: number): Reply {
	if (isReply(result)) return result;
	return result === undefined ? Reply.empty(status ?? 204) : Reply.json(result);
}
