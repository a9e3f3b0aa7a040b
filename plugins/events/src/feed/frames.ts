import type { Clock, ResumableEvent } from '@plinth/core';
import type { FeedReader, JobUpdate } from '@plinth/toolkit';
import { eventText } from './updates.ts';

/**
 * How long a client may leave a frame unread, in milliseconds. It can resume later; until then updates are
 * queued here.
 */
const unreadMs = 10_000;

/** The frames of an event stream. The caller must call `return` of the iterator, also when nothing was read. */
export function framesOf(
	reader: FeedReader,
	textOf: (update: JobUpdate) => string,
	clock: Clock,
): AsyncIterable<ResumableEvent> {
	const updates = reader[Symbol.asyncIterator]();
	let hasEnded = false;
	const iterator: AsyncIterator<ResumableEvent, undefined> = {
		async next() {
			const step = await updates.next();
			if (!step.done) return { done: false, value: frameOf(step.value, textOf(step.value)) };
			if (hasEnded || !reader.endReason) return { done: true, value: undefined };
			hasEnded = true;
			return { done: false, value: lastFrame(reader.endReason, clock.now()) };
		},
		async return() {
			hasEnded = true;
			await updates.return?.();
			return { done: true, value: undefined };
		},
	};
	return { [Symbol.asyncIterator]: () => iterator };
}

function frameOf({ type, cursor }: JobUpdate, data: string): ResumableEvent {
	return { event: type, ...(cursor !== undefined && { id: cursor }), data, unreadMs };
}

function lastFrame(reason: string, now: number): ResumableEvent {
	const type = 'stream.end';
	return { event: type, data: eventText(type, now, { reason }), unreadMs };
}
