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
 * fallback model can take over until the first event. Until then, comments tell a client in a line its place. A reader
 * that returns aborts the signal of `caller`.
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
	const comments = ahead && places(events, () => ahead?.(), clock);
	return deferred(events, comments, () => disconnect.abort(new Error('The client has disconnected.')));
}

/** Milliseconds between two looks at the place in the line. */
const lookMs = 1_000;

/** Comments with each new place in the line, until a promise settles. */
async function* places(until: Promise<unknown>, ahead: () => number | undefined, clock: Clock) {
	let isOver = false;
	const end = () => {
		isOver = true;
	};
	const over = until.then(end, end);
	for (let told: number | undefined; !isOver; ) {
		const count = ahead();
		if (count !== undefined && count !== told) yield { comment: `waiting, ${count} ahead`, data: null };
		told = count;
		const look = Promise.withResolvers<void>();
		const cancel = clock.after(lookMs, look.resolve);
		await Promise.race([over, look.promise]);
		cancel();
	}
}

/** The events of a promise, behind comments. Not a generator: its `return` would wait for the first event. */
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
