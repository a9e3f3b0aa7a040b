import { defineModel } from '@plinth/core';
import { type ChatModel, chatModels } from '@plinth/plugin-chat/model';
import { z } from 'zod';
import type { Answerer } from './answerer.ts';

/** Maximum characters of all documents that are searched; the plugin cuts the rest and warns. */
const documentCharacters = 2_000_000;

/** Quotes attached documents: full-text search, no neural network, no weights. Equal requests get equal answers. */
export const builtinChat = defineModel({
	kind: chatModels,
	name: 'builtin.chat',
	description: 'Extractive: quotes the passages of attached documents that match a question. No neural network.',
	config: z.strictObject({}),
	create({ onStop }): ChatModel {
		let loading: Promise<Answerer> | undefined;
		onStop(async () => (await loading)?.close());
		return {
			apiVersion: 1,
			abilities: { json: 'schema', tools: true, documentCharacters },
			async *stream(request, run) {
				// Imported late, so that a server starts fast.
				loading ??= import('./answerer.ts').then(({ Answerer }) => new Answerer());
				yield* (await loading).stream(request, run);
			},
		};
	},
});
