import { createParser } from 'eventsource-parser';
import type { UpstreamAnswer } from './answer.ts';
import { brokenAnswer } from './failure.ts';

/** A server-sent event. */
export interface UpstreamEvent {
	/** Its `data:` lines. */
	readonly data: Buffer;
}

/**
 * The events of an answer (HTML living standard §9.2.6), names, comments and other fields left out: every event says
 * in its data what it is. What stands behind the last blank line is an event as well: some servers end without one.
 * Throws `E_MODEL_FAILED` for an event of more than `maxBytes`.
 */
export async function* eventsOf(answer: UpstreamAnswer, maxBytes: number): AsyncGenerator<UpstreamEvent> {
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
		// The parser takes text. As Latin-1 each byte stays what it is, also where a chunk ends within a character.
		parser.feed(chunk.toString('latin1'));
		yield* events.splice(0);
		if (isTooLong) throw brokenAnswer(answer.where, `sent an event of more than ${maxBytes} bytes`);
	}
	parser.feed('\n\n');
	yield* events;
}
