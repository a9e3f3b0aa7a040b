import type { Call, Clock, ModelCaller, ServerEvent } from '@plinth/core';
import { abandon } from '@plinth/core';

/** When {@link startEventStream} begins a stream at the latest. */
export interface StreamStart {
	readonly clock: Clock;
	/** Milliseconds after which it begins without an event, so that heartbeats keep its connection. */
	readonly maxWaitMs: number;
}

/**
 * Begins an event stream that models make. `make` asks them for `caller` and resolves with the events once there is one to tell. Resolves then, or when the time is over; rejects with what fails
 * until then. What fails later is a failure of the stream, and until its first event another model may still take over. Whoever leaves the stream aborts the signal of `caller`.
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
	return deferred(events, () => disconnect.abort(new Error('The client has left.')));
}

/** The events, for whoever need not wait for them. Not a generator: that would end only when it has its first event. */
function deferred(
	events: Promise<AsyncIterable<ServerEvent>>,
	onReturn: () => void,
): AsyncIterableIterator<ServerEvent> {
	const iterator = events.then((events) => events[Symbol.asyncIterator]());
	// Nobody may read any more when it fails.
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
