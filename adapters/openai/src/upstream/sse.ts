import { createParser } from 'eventsource-parser';
import { invalidResponse } from './failure.ts';
import type { UpstreamResponse } from './response.ts';

/** A server-sent event. */
export interface UpstreamEvent {
	/** Its `data:` lines. */
	readonly data: Buffer;
}

/**
 * The events of a response (HTML living standard §9.2.6). Only their data is kept, which states the type of the event.
 * Some servers do not end the last event with a blank line; it counts too. Throws `E_MODEL_FAILED` for an event of more
 * than `maxBytes`.
 */
export async function* eventsOf(answer: UpstreamResponse, maxBytes: number): AsyncGenerator<UpstreamEvent> {
	const events: UpstreamEvent[] = [];
	let isTooLong = false;
	const parser = createParser({
		maxBufferSize: maxBytes,
		onEvent: ({ data }) => void events.push({ data: Buffer.from(data, 'latin1') }),
		onError: ({ type }) => {
			isTooLong ||= type === 'max-buffer-size-exceeded';
		},
	});
	for await (const chunk of answer.chunks(Number.POSITIVE_INFINITY)) {
		// The parser needs text. Latin-1 keeps each byte, also when a chunk ends within a character.
		parser.feed(chunk.toString('latin1'));
		yield* events.splice(0);
		if (isTooLong) throw invalidResponse(answer.where, `sent an event of more than ${maxBytes} bytes`);
	}
	parser.feed('\n\n');
	yield* events;
}
