import {
	begun,
	type Call,
	defineRoute,
	errors,
	fromModel,
	invalidValue,
	type Models,
	Reply,
	type Route,
	valueErrors,
} from '@plinth/core';
import { deliver } from './delivery.ts';
import { estimateUsage, speechEvents } from './events.ts';
import { speechBody } from './fields.ts';
import type {
	AudioEncoder,
	EncodedAudio,
	PcmAudio,
	SpeechModel,
	SpeechRequest,
	SpeechRun,
} from './model.ts';
import type { SpeechOptions } from './options.ts';
import { noAudio, settledBy } from './stream.ts';

/** What the route works with. */
export interface SpeechContext {
	readonly options: SpeechOptions;
	readonly encoder: AudioEncoder | undefined;
	readonly models: Models<SpeechModel>;
}

/** `POST /v1/audio/speech`: the answer begins when the first bytes exist, so that failures before have a status. */
export function createSpeech({ options, encoder, models }: SpeechContext): Route {
	const { defaultFormat } = options;
	return defineRoute({
		method: 'POST',
		path: '/v1/audio/speech',
		scope: 'speech',
		summary: 'Speak a text',
		description:
			'Answers with the audio in the format asked for. pcm and encoded formats are sent as they are made; wav has exact lengths in its header and is sent when it is complete.',
		body: speechBody(defaultFormat),
		response: { description: 'The audio.', mediaTypes },
		errors: [...valueErrors, errors.E_MODEL_NOT_FOUND, errors.E_MODEL_FAILED],
		async handler({ body }, call) {
			const { model } = models.get(body.model);
			checkVoice(model, body.voice);
			const { input, voice, speed, instructions, response_format: format } = body;
			const request: SpeechRequest = {
				input,
				voice,
				speed,
				format,
				...(instructions ? { instructions } : {}),
			};
			return stopOnFailure(call, async (run) => {
				const made = await speak(model, request, run);
				const { signal } = run;
				const delivery = await deliver(made, format, { encoder, defaultFormat, signal });
				const audio = await begun(delivery.body, ({ byteLength }) => byteLength > 0, noAudio);
				if (body.stream_format === 'sse') {
					const usage = () => estimateUsage(input, delivery.seconds());
					return Reply.events(speechEvents(audio, usage, made.warnings));
				}
				const { mediaType, size } = delivery;
				const source = { open: () => audio, ...(size === undefined ? {} : { size }) };
				return Reply.binary(source, { mediaType });
			});
		},
	});
}

const mediaTypes = [
	'audio/mpeg',
	'audio/ogg',
	'audio/aac',
	'audio/flac',
	'audio/wav',
	'audio/pcm',
	'text/event-stream',
];

function checkVoice(model: SpeechModel, voice: string): void {
	const voices = model.voices?.();
	if (!voices || voices.includes(voice)) return;
	throw invalidValue(
		'voice',
		`The model has no voice "${voice.slice(0, 100)}". It has: ${voices.join(', ')}.`,
	);
}

/** The signal of one request, which also aborts when the request is refused after the model has begun. */
async function stopOnFailure<T>(call: Call, work: (run: SpeechRun) => Promise<T>): Promise<T> {
	const stop = new AbortController();
	try {
		return await work({ signal: AbortSignal.any([call.signal, stop.signal]), log: call.log });
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
	const made = await settledBy(model.speak(request, run), run.signal);
	return { ...made, body: fromModel(made.body, run.signal) };
}
