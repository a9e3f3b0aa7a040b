import { type Logger, type ModelCall, Reply, type ServerEvent } from '@plinth/core';
import { awaitFirst, fromModel, withCleanup } from '@plinth/toolkit';
import { type DeliveryTools, deliver } from './delivery.ts';
import { estimateUsage, speechEvents } from './events.ts';
import type { SpeechBody } from './fields.ts';
import { checkFormat } from './formats.ts';
import type { EncodedAudio, PcmAudio, SpeechModel, SpeechRequest, SpeechRun } from './model.ts';
import { awaitAudio, noAudio } from './stream.ts';
import { checkVoice, voiceName } from './voice.ts';

/** What the deployment adds to a request. */
export type SpeakTools = Omit<DeliveryTools, 'signal'> & { readonly log: Logger };

/** Calls the model. Resolves with the response once its first bytes exist. */
export async function speakBytes(
	modelCall: ModelCall<SpeechModel>,
	body: SpeechBody,
	tools: SpeakTools,
): Promise<Reply> {
	const { chunks, delivery, releaseSlot } = await start(modelCall, body, tools);
	const { mediaType, size } = delivery;
	const stream = withCleanup(chunks, releaseSlot);
	const source = {
		open: () => stream,
		discard: () => stream.return?.(),
		...(size === undefined ? {} : { size }),
	};
	return Reply.binary(source, { mediaType });
}

/** Calls the model. Resolves with the events once the first bytes exist. */
export async function speakEvents(
	modelCall: ModelCall<SpeechModel>,
	body: SpeechBody,
	tools: SpeakTools,
): Promise<AsyncIterable<ServerEvent>> {
	const { audio, chunks, delivery, releaseSlot } = await start(modelCall, body, tools);
	const usage = () => estimateUsage(body.input, delivery.seconds());
	return withCleanup(speechEvents(chunks, usage, audio.warnings), releaseSlot);
}

/**
 * Calls the model and waits for the first bytes, so that a fallback model can take over until then. The model slot is
 * held until `releaseSlot` is called; audio of known size is complete and holds none.
 */
async function start(modelCall: ModelCall<SpeechModel>, body: SpeechBody, { log, ...tools }: SpeakTools) {
	const { model } = modelCall;
	checkVoice(model, body.voice);
	checkFormat(model, body.response_format, tools);
	return abortOnFailure(modelCall.signal, log, async (run) => {
		const { signal } = run;
		const audio = await speak(model, requestOf(body), run);
		const delivery = await deliver(audio, body.response_format, { ...tools, signal });
		const chunks = await awaitFirst(delivery.body, ({ byteLength }) => byteLength > 0, noAudio);
		const releaseSlot = delivery.size === undefined ? modelCall.keepSlot() : () => {};
		return { audio, chunks, delivery, releaseSlot };
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
