import { definePlugin, optional, services } from '@plinth/core';
import { fileSources, mediaServices } from '@plinth/toolkit';
import { audioDecoder, transcriptionModels } from './model.ts';
import { transcriptionOptions } from './options.ts';
import { speechReader } from './reader.ts';
import { absentRoutes, transcriptionRoutes } from './routes.ts';

/** Speech to text under `/v1/audio`, and for audio in chats. Without a model, the routes' error says how to add one. */
export const transcription = definePlugin({
	id: 'transcription',
	config: transcriptionOptions,
	needs: { clock: services.clock, decoder: optional(audioDecoder), ...fileSources },
	models: [transcriptionModels],
	provides: mediaServices.speech,
	setup({ config: options, services: { clock, decoder, ...sources }, models: modelsOf, route }) {
		const models = modelsOf(transcriptionModels);
		const tools = { decoder, maxSeconds: options.maxSeconds };
		const [first] = models.list();
		route(...(first ? transcriptionRoutes({ options, models, tools, sources, clock }) : absentRoutes()));
		return speechReader(models, options.readerModel ? models.get(options.readerModel).id : first?.id, tools);
	},
});
