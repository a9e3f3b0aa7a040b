import { definePlugin, optional, services } from '@plinth/core';
import { formatsFrom } from './formats.ts';
import { audioEncoder, type SpeechModel, speechModels } from './model.ts';
import { speechOptions } from './options.ts';
import { createSpeech } from './route.ts';

/** Speech synthesis: `POST /v1/audio/speech`. */
export const speech = definePlugin({
	id: 'speech',
	config: speechOptions,
	needs: { clock: services.clock, encoder: optional(audioEncoder) },
	models: [speechModels],
	setup({ config: options, services: { clock, encoder }, models, route }) {
		const factsOf = ({ abilities: { formats } = {} }: SpeechModel) =>
			formats ? { formats: [...formatsFrom(formats, encoder)] } : {};
		route(createSpeech({ options, encoder, models: models(speechModels, factsOf), clock }));
	},
});
