import { defineModel } from '@plinth/core';
import { type ChatEvent, type ChatModel, type ChatRequest, type ChatRun, chatModels } from '@plinth/plugin-chat/model';
import { z } from 'zod';
import { Library } from './library/library.ts';
import { respond } from './respond.ts';
import { speak } from './speak.ts';
import { readTalk } from './talk.ts';
import { callTools } from './tools/call.ts';
import { chooseTools } from './tools/choose.ts';

/** Characters of a message that are searched for tools and their arguments. */
const mostWords = 20_000;

/** Answers questions about attached documents by quoting them. No neural network, no weights; equal requests get equal answers. */
export const builtinChat = defineModel({
	kind: chatModels,
	name: 'builtin.chat',
	description:
		'Extractive: answers questions about attached documents with quoted sentences and where they stand. No neural network.',
	config: z.strictObject({}),
	create(): ChatModel {
		const library = new Library();
		return {
			apiVersion: 1,
			abilities: { json: 'schema', tools: true },
			stream: (request, run) => stream(request, run, library),
		};
	},
});

async function* stream(request: ChatRequest, run: ChatRun, library: Library): AsyncGenerator<ChatEvent> {
	run.signal.throwIfAborted();
	const talk = readTalk(request);
	const tools = talk.results.length > 0 ? [] : chooseTools(request, talk.words.slice(0, mostWords));
	if (tools.length > 0) return yield* callTools(tools, request, run);
	const { text, warnings = [] } = await respond(talk, request.format, run, library);
	for (const message of warnings) yield { type: 'warning', message };
	for (const event of speak(text, request.maxTokens)) {
		run.signal.throwIfAborted();
		yield event;
	}
}
