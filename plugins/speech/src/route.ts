import { type Clock, defineRoute, type Models, modelErrors, Reply, type Route, valueErrors } from '@plinth/core';
import { startEventStream, tryPassthrough } from '@plinth/toolkit';
import { speechBody } from './fields.ts';
import { checkFormat } from './formats.ts';
import type { AudioEncoder, SpeechModel } from './model.ts';
import type { SpeechOptions } from './options.ts';
import { speechPassthrough } from './passthrough.ts';
import { checkVoice } from './voice.ts';

/** Dependencies of the route. */
export interface SpeechContext {
	readonly options: SpeechOptions;
	readonly encoder: AudioEncoder | undefined;
	readonly models: Models<SpeechModel>;
	readonly clock: Clock;
}

/** Maximum milliseconds that a stream of events waits for its first one. A failure within this time gets a status. */
const firstEventMs = 10_000;

/** `POST /v1/audio/speech`: audio starts with the first bytes, so that earlier failures get a status. */
export function createSpeech({ options, encoder, models, clock }: SpeechContext): Route {
	const { defaultFormat } = options;
	const schema = speechBody(defaultFormat);
	return defineRoute({
		method: 'POST',
		path: '/v1/audio/speech',
		scope: 'speech',
		summary: 'Speak a text',
		description:
			'Responds with the audio in the requested format. pcm and encoded formats are streamed; ' +
			'wav has exact lengths in its header and is sent when it is complete.',
		body: schema,
		response: { description: 'The audio.', mediaTypes },
		errors: [...valueErrors, ...modelErrors],
		forward: (raw, call) => tryPassthrough(models, raw, call, speechPassthrough(raw, schema)),
		async handler({ body }, call) {
			// Before queueing for the model: an invalid request should not wait.
			const { model } = models.get(body.model);
			checkVoice(model, body.voice);
			checkFormat(model, body.response_format, { encoder, defaultFormat });
			// Loaded by the first request, so that a server starts sooner.
			const { speakBytes, speakEvents } = await import('./speak.ts');
			const tools = { encoder, defaultFormat, log: call.log };
			if (body.stream_format === 'audio') {
				return models.ask(body.model, call, (modelCall) => speakBytes(modelCall, body, tools));
			}
			const events = await startEventStream(call, { clock, maxWaitMs: firstEventMs }, (caller) =>
				models.ask(body.model, caller, (modelCall) => speakEvents(modelCall, body, tools)),
			);
			return Reply.events(events);
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
