import { type Logger, type ModelCall, Reply } from '@plinth/core';
import { awaitFirst, fromModel, withCleanup } from '@plinth/toolkit';
import { type DeliveryTools, deliver } from './delivery.ts';
import { estimateUsage, speechEvents } from './events.ts';
import type { SpeechBody } from './fields.ts';
import { checkFormat } from './formats.ts';
import type { EncodedAudio, PcmAudio, SpeechModel, SpeechRequest, SpeechRun } from './model.ts';
import { awaitAudio, noAudio } from './stream.ts';
import { checkVoice, voiceName } from './voice.ts';

/**
 * Calls the model. Resolves with the response once its first bytes exist, so that an earlier failure gets a
 * status and a fallback model can take over. The model slot is held until the stream ends; audio of known
 * size is complete and holds none.
 */
export async function speakWith(
	modelCall: ModelCall<SpeechModel>,
	body: SpeechBody,
	tools: Omit<DeliveryTools, 'signal'>,
	log: Logger,
): Promise<Reply> {
	const { model } = modelCall;
	checkVoice(model, body.voice);
	checkFormat(model, body.response_format, tools);
	return abortOnFailure(modelCall.signal, log, async (run) => {
		const { signal } = run;
		const audio = await speak(model, requestOf(body), run);
		const delivery = await deliver(audio, body.response_format, { ...tools, signal });
		const chunks = await awaitFirst(delivery.body, ({ byteLength }) => byteLength > 0, noAudio);
		const { mediaType, size } = delivery;
		const releaseSlot = size === undefined ? modelCall.keepSlot() : () => {};
		if (body.stream_format === 'sse') {
			const usage = () => estimateUsage(body.input, delivery.seconds());
			return Reply.events(withCleanup(speechEvents(chunks, usage, audio.warnings), releaseSlot));
		}
		const stream = withCleanup(chunks, releaseSlot);
		const source = {
			open: () => stream,
			discard: () => stream.return?.(),
			...(size === undefined ? {} : { size }),
		};
		return Reply.binary(source, { mediaType });
	});
}

function requestOf(body: SpeechBody): SpeechRequest {
	const { input, voice, speed, instructions, response_format: format } = body;
	return {
		input,
		voice: voiceName(voice),
		...(typeof voice === 'string' ? {} : { isCustomVoice: true }),
		speed,
		format,
		...(instructions ? { instructions } : {}),
	};
}

/** The signal of one model call, which also aborts when the request fails after the model has started. */
async function abortOnFailure<T>(outer: AbortSignal, log: Logger, work: (run: SpeechRun) => Promise<T>): Promise<T> {
	const failure = new AbortController();
	try {
		return await work({ signal: AbortSignal.any([outer, failure.signal]), log });
	} catch (error) {
		failure.abort(error);
		throw error;
	}
}

async function speak(model: SpeechModel, request: SpeechRequest, run: SpeechRun): Promise<PcmAudio | EncodedAudio> {
	// An async function: a synchronous throw of the model becomes a rejection.
	const pending = (async () => model.speak(request, run))();
	const audio = await awaitAudio(pending, run.signal);
	return { ...audio, body: fromModel(audio.body, run.signal) };
}
