import { resolve } from 'node:path';
import { defineModel } from '@plinth/core';
import { type ChatModel, chatModels } from '@plinth/plugin-chat/model';
import { checkModel, findLibrary } from './check.ts';
import { LocalEngine } from './engine/engine.ts';
import { chatOptions } from './options.ts';
import { toTask } from './request/task.ts';

/** A GGUF file as a chat model. llama.cpp runs in a process of its own, which starts with the first request. */
export const llamaCppChat = defineModel({
	kind: chatModels,
	name: 'llamaCpp.chat',
	description: 'A GGUF model on this machine, by llama.cpp.',
	config: chatOptions,
	async create({ config, folder, onStop }): Promise<ChatModel> {
		const options = { ...config, library: findLibrary(folder), file: resolve(folder, config.file), isCheck: false };
		await checkModel(options);
		const engine = new LocalEngine(options);
		onStop(() => engine.unload());
		return {
			apiVersion: 1,
			abilities: {
				contextTokens: config.contextSize,
				documentCharacters: config.documentCharacters ?? config.contextSize * 2,
			},
			async *stream(request, { signal, seed }) {
				signal.throwIfAborted();
				const { task, warnings } = toTask(request, config, seed);
				for (const message of warnings) yield { type: 'warning', message };
				yield* engine.answer(task, signal);
			},
			unload: () => engine.unload(),
		};
	},
});
