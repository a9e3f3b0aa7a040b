import type { Call, Clock, ModelCaller, ServerEvent } from '@plinth/core';
import { abandon } from '@plinth/core';

/** How long {@link startEventStream} waits for the first event. */
export interface StreamStart {
	readonly clock: Clock;
	/** Milliseconds after which the stream starts without an event. Heartbeats then keep the connection open. */
	readonly maxWaitMs: number;
}

/**
 * Starts an event stream of models. `make` resolves with the events once there is a first one. Resolves
 * then or after `maxWaitMs`; rejects with an earlier failure. A later failure is sent in the stream, and a
 * fallback model can take over until the first event. Until then, comments report the position of a waiting client in
 * the queue. A `return` of the reader aborts the signal of `caller`.
 */
export async function startEventStream(
	call: Call,
	{ clock, maxWaitMs }: StreamStart,
	make: (caller: ModelCaller) => Promise<AsyncIterable<ServerEvent>>,
): Promise<AsyncIterableIterator<ServerEvent>> {
	const disconnect = new AbortController();
	let ahead: (() => number | undefined) | undefined;
	const events = make({
		principal: call.principal,
		signal: AbortSignal.any([call.signal, disconnect.signal]),
		log: call.log,
		answeredBy: (model) => call.answeredBy(model),
		waits: (count) => {
			ahead = count;
		},
	});
	const timeout = Promise.withResolvers<void>();
	const cancel = clock.after(maxWaitMs, timeout.resolve);
	try {
		await Promise.race([events, timeout.promise]);
	} finally {
		cancel();
	}
	const comments = ahead && queueComments(events, () => ahead?.(), clock);
	return deferred(events, comments, () => disconnect.abort(new Error('The client has disconnected.')));
}

/** Interval in which the position in the queue is read, in milliseconds. */
const pollMs = 1_000;

/** Comments with each new position in the queue, until a promise settles. */
async function* queueComments(until: Promise<unknown>, ahead: () => number | undefined, clock: Clock) {
	let hasSettled = false;
	const onSettled = () => {
		hasSettled = true;
	};
	const settled = until.then(onSettled, onSettled);
	for (let lastSent: number | undefined; !hasSettled; ) {
		const count = ahead();
		if (count !== undefined && count !== lastSent) yield { comment: `waiting, ${count} ahead`, data: null };
		lastSent = count;
		const nextPoll = Promise.withResolvers<void>();
		const cancel = clock.after(pollMs, nextPoll.resolve);
		await Promise.race([settled, nextPoll.promise]);
		cancel();
	}
}

/** The events of a promise, after comments. Not a generator: its `return` would wait for the first event. */
function deferred(
	events: Promise<AsyncIterable<ServerEvent>>,
	comments: AsyncGenerator<ServerEvent> | undefined,
	onReturn: () => void,
): AsyncIterableIterator<ServerEvent> {
	const iterator = events.then((events) => events[Symbol.asyncIterator]());
	// Avoids an unhandled rejection when the reader has returned.
	iterator.catch(() => {});
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			if (comments) {
				const comment = await comments.next();
				if (!comment.done) return comment;
				comments = undefined;
			}
			return (await iterator).next();
		},
		async return() {
			onReturn();
			iterator.then(abandon, () => {});
			return { done: true, value: undefined };
		},
	};
}
