import { definePlugin, optional } from '@plinth/core';
import { audioEncoder, speechModels } from './model.ts';
import { speechOptions } from './options.ts';
import { createSpeech } from './route.ts';

/** Speech synthesis: `POST /v1/audio/speech`. */
export const speech = definePlugin({
	id: 'speech',
	config: speechOptions,
	needs: { encoder: optional(audioEncoder) },
	models: [speechModels],
	setup({ config: options, services: { encoder }, models, route }) {
		route(createSpeech({ options, encoder, models: models(speechModels) }));
	},
});
