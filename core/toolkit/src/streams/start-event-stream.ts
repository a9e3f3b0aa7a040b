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
 * fallback model can take over until the first event. A reader that returns aborts the signal of `caller`.
 */
export async function startEventStream(
	call: Call,
	{ clock, maxWaitMs }: StreamStart,
	make: (caller: ModelCaller) => Promise<AsyncIterable<ServerEvent>>,
): Promise<AsyncIterableIterator<ServerEvent>> {
	const disconnect = new AbortController();
	const events = make({
		principal: call.principal,
		signal: AbortSignal.any([call.signal, disconnect.signal]),
		log: call.log,
		answeredBy: (model) => call.answeredBy(model),
	});
	const timeout = Promise.withResolvers<void>();
	const cancel = clock.after(maxWaitMs, timeout.resolve);
	try {
		await Promise.race([events, timeout.promise]);
	} finally {
		cancel();
	}
	return deferred(events, () => disconnect.abort(new Error('The client has disconnected.')));
}

/** The events of a promise. Not a generator: its `return` would wait for the first event. */
function deferred(
	events: Promise<AsyncIterable<ServerEvent>>,
	onReturn: () => void,
): AsyncIterableIterator<ServerEvent> {
	const iterator = events.then((events) => events[Symbol.asyncIterator]());
	// Avoids an unhandled rejection when the reader has returned.
	iterator.catch(() => {});
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		next: async () => (await iterator).next(),
		async return() {
			onReturn();
			iterator.then(abandon, () => {});
			return { done: true, value: undefined };
		},
	};
}
