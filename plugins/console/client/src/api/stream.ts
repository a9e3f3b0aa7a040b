import { createParser } from 'eventsource-parser';
import { errorFrom, isAbort, unreachable } from './error.ts';
import { type RequestOptions, send } from './request.ts';

/** One server-sent event. */
export interface StreamEvent {
	/** `message` if the server names none. */
	readonly event: string;
	readonly id: string | undefined;
	/** JSON, or `[DONE]` at the end of a chat. */
	readonly data: string;
}

/** The options of a stream. */
export interface StreamOptions extends RequestOptions {
	/** Called for all received data, including the comment that the server sends every 15 idle seconds. */
	readonly onActivity?: () => void;
	/** Called when the server has accepted the request. */
	readonly onOpen?: (response: Response) => void;
}

/**
 * The events of a response. Uses `fetch`, because `EventSource` would need the key in the URL. Rejects with `ApiError`
 * when the server refuses the request or sends `event: error`, and when the connection breaks.
 */
export async function* streamEvents(
	method: 'GET' | 'POST',
	path: string,
	options: StreamOptions = {},
): AsyncGenerator<StreamEvent, void> {
	const response = await send(method, path, {
		...options,
		headers: { accept: 'text/event-stream', ...options.headers },
	});
	options.onOpen?.(response);
	if (!response.body) return;
	const received: StreamEvent[] = [];
	const parser = createParser({
		onEvent: ({ event = 'message', id, data }) => received.push({ event, id, data }),
	});
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
	try {
		for (;;) {
			const { done, value } = await reader.read().catch((error: unknown) => {
				throw isAbort(error) || options.signal?.aborted ? error : unreachable();
			});
			options.onActivity?.();
			if (value) parser.feed(value);
			for (const event of received.splice(0)) {
				if (event.event === 'error') throw errorFrom(event.data, { status: response.status, header: () => null });
				yield event;
			}
			if (done) return;
		}
	} finally {
		// Ends the request when the caller stops reading.
		await reader.cancel().catch(() => {});
	}
}
