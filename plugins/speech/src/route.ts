import { defineRoute, type Models, modelErrors, type Route, valueErrors } from '@plinth/core';
import { tryPassthrough } from '@plinth/toolkit';
import { speechBody } from './fields.ts';
import type { AudioEncoder, SpeechModel } from './model.ts';
import type { SpeechOptions } from './options.ts';
import { speechPassthrough } from './passthrough.ts';
import { speakBy } from './speak.ts';
import { checkVoice } from './voice.ts';

/** What the route works with. */
export interface SpeechContext {
	readonly options: SpeechOptions;
	readonly encoder: AudioEncoder | undefined;
	readonly models: Models<SpeechModel>;
}

/** `POST /v1/audio/speech`: the answer begins when the first bytes exist, so that failures before have a status. */
export function createSpeech({ options, encoder, models }: SpeechContext): Route {
	const { defaultFormat } = options;
	const schema = speechBody(defaultFormat);
	return defineRoute({
		method: 'POST',
		path: '/v1/audio/speech',
		scope: 'speech',
		summary: 'Speak a text',
		description:
			'Answers with the audio in the format asked for. pcm and encoded formats are sent as they are made; wav has exact lengths in its header and is sent when it is complete.',
		body: schema,
		response: { description: 'The audio.', mediaTypes },
		errors: [...valueErrors, ...modelErrors],
		forward: (raw, call) => tryPassthrough(models, raw, call, speechPassthrough(raw, schema)),
		async handler({ body }, call) {
			// Before its turn: who is refused waits in no line.
			checkVoice(models.get(body.model).model, body.voice);
			return models.ask(body.model, call, (turn) =>
				speakBy(turn, body, { encoder, defaultFormat }, call.log),
			);
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
