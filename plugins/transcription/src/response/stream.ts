import { modelError, type ServerEvent } from '@plinth/core';
import { awaitFirst } from '@plinth/toolkit';
import type { Transcription } from '../model.ts';
import { usageOf } from './reply.ts';

/**
 * A transcription as events: `transcript.text.delta` for each piece of text, then `transcript.text.done`. Resolves with
 * the first event, and rejects with an earlier failure. The signal of the work also aborts when the reader stops.
 */
export function transcriptEvents(
	outer: AbortSignal,
	work: (signal: AbortSignal, onDelta: (text: string) => void) => Promise<Transcription>,
): Promise<AsyncIterable<ServerEvent>> {
	const readerAbort = new AbortController();
	const events = new ReadableStream<ServerEvent>({
		start(controller) {
			let sentText = '';
			const onDelta = (delta: string) => {
				sentText += delta;
				controller.enqueue({ data: { type: 'transcript.text.delta', delta } });
			};
			work(AbortSignal.any([outer, readerAbort.signal]), onDelta)
				.then((result) => {
					const { text, warnings } = result;
					if (text.length > sentText.length && text.startsWith(sentText)) onDelta(text.slice(sentText.length));
					controller.enqueue({ data: { type: 'transcript.text.done', text, usage: usageOf(result), warnings } });
					controller.close();
				})
				// Also for a reader that has stopped: its stream accepts no more events.
				.catch((error: unknown) => controller.error(error));
		},
		cancel: () => readerAbort.abort(new Error('The client has disconnected.')),
	});
	return awaitFirst(events, Boolean, () => modelError('The model returned no text.'));
}
