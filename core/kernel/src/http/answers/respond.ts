import { type Answer, isReply, type Reply, withStatus } from '../../contract/http/reply.ts';
import type { Exchange } from '../exchange.ts';
import { abandon, discardSource, sendBinary } from './binary.ts';
import { sendJson, sendWhole } from './send.ts';
import { sendEvents } from './sse.ts';

export function respond(exchange: Exchange, reply: Reply): Promise<void> {
	const answer: Answer = withStatus(reply, 200);
	switch (answer.type) {
		case 'json':
			return sendJson(exchange, answer.status, answer.value, answer.headers);
		case 'binary':
			return sendBinary(exchange, answer);
		case 'events':
			return sendEvents(exchange, answer.events, answer.headers);
		case 'redirect':
		case 'empty':
			return sendWhole(exchange, answer.status, '', answer.headers);
		case 'forward':
			return answer.done;
	}
}

/** Closes the source of a reply that will not be sent. */
export function discard(exchange: Exchange, result: unknown): void {
	if (!isReply(result)) return;
	if (result.type === 'events') abandon(exchange, result.events[Symbol.asyncIterator]());
	if (result.type === 'binary') discardSource(exchange, result.source);
}

/** The same events. `end` is called once, by `return` of the iterator, which `respond` and `discard` always call. */
export function endingWith<T>(events: AsyncIterable<T>, end: () => Promise<void>): AsyncIterable<T> {
	const iterator = events[Symbol.asyncIterator]();
	let ended: Promise<void> | undefined;
	return {
		[Symbol.asyncIterator]: () => ({
			next: () => iterator.next(),
			async return() {
				try {
					await iterator.return?.();
				} finally {
					ended ??= end();
					await ended;
				}
				return { done: true, value: undefined };
			},
		}),
	};
}
