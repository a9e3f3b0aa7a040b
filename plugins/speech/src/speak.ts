import { type Logger, type ModelCall, Reply } from '@plinth/core';
import { awaitFirst, closing, fromModel } from '@plinth/toolkit';
import { type DeliveryTools, deliver } from './delivery.ts';
import { estimateUsage, speechEvents } from './events.ts';
import type { SpeechBody } from './fields.ts';
import type { EncodedAudio, PcmAudio, SpeechModel, SpeechRequest, SpeechRun } from './model.ts';
import { noAudio, settledBy } from './stream.ts';
import { checkVoice } from './voice.ts';

/**
 * Has a model speak. Resolves with the answer once its first bytes exist, so that a failure before has a status, and another model can take over. The place of the model is held until the
 * audio is sent or let go, but no longer than the model can be at work: what has a known size is complete.
 */
export async function speakBy(
	turn: ModelCall<SpeechModel>,
	body: SpeechBody,
	tools: Omit<DeliveryTools, 'signal'>,
	log: Logger,
): Promise<Reply> {
	const { model } = turn;
	checkVoice(model, body.voice);
	return stopOnFailure(turn.signal, log, async (run) => {
		const { signal } = run;
		const made = await speak(model, requestOf(body), run);
		const delivery = await deliver(made, body.response_format, { ...tools, signal });
		const audio = await awaitFirst(delivery.body, ({ byteLength }) => byteLength > 0, noAudio);
		const { mediaType, size } = delivery;
		const leave = size === undefined ? turn.keepSlot() : () => {};
		if (body.stream_format === 'sse') {
			const usage = () => estimateUsage(body.input, delivery.seconds());
			return Reply.events(closing(speechEvents(audio, usage, made.warnings), leave));
		}
		const sent = closing(audio, leave);
		const source = {
			open: () => sent,
			discard: () => sent.return?.(),
			...(size === undefined ? {} : { size }),
		};
		return Reply.binary(source, { mediaType });
	});
}

function requestOf(body: SpeechBody): SpeechRequest {
	const { input, voice, speed, instructions, response_format: format } = body;
	return { input, voice, speed, format, ...(instructions ? { instructions } : {}) };
}

/** The signal of one turn, which also aborts when the request is refused after the model has begun. */
async function stopOnFailure<T>(
	outer: AbortSignal,
	log: Logger,
	work: (run: SpeechRun) => Promise<T>,
): Promise<T> {
	const stop = new AbortController();
	try {
		return await work({ signal: AbortSignal.any([outer, stop.signal]), log });
	} catch (error) {
		stop.abort(error);
		throw error;
	}
}

async function speak(
	model: SpeechModel,
	request: SpeechRequest,
	run: SpeechRun,
): Promise<PcmAudio | EncodedAudio> {
	// Inside, so that a model that throws at once is like one that rejects.
	const speaking = (async () => model.speak(request, run))();
	const made = await settledBy(speaking, run.signal);
	return { ...made, body: fromModel(made.body, run.signal) };
}
