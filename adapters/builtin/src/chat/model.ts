import { defineModel } from '@plinth/core';
import { type ChatEvent, type ChatModel, type ChatRequest, type ChatRun, chatModels } from '@plinth/plugin-chat/model';
import { z } from 'zod';
import { Searcher } from './answer.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { JsonMaker } from './json.ts';
import { callTools, chooseTools } from './tools.ts';

/** Maximum characters of all documents that are searched; the plugin cuts the rest and warns. */
const documentCharacters = 2_000_000;
const charactersPerToken = 4;

/** Quotes attached documents: full-text search, no neural network, no weights. Equal requests get equal answers. */
export const builtinChat = defineModel({
	kind: chatModels,
	name: 'builtin.chat',
	description: 'Extractive: quotes the passages of attached documents that match a question. No neural network.',
	config: z.strictObject({}),
	create({ onStop }): ChatModel {
		const services = { searcher: new Searcher(), maker: new JsonMaker() };
		onStop(() => services.searcher.close());
		onStop(() => services.maker.close());
		return {
			apiVersion: 1,
			abilities: { json: 'schema', tools: true, documentCharacters },
			stream: (request, run) => stream(request, run, services),
		};
	},
});

interface Services {
	readonly searcher: Searcher;
	readonly maker: JsonMaker;
}

async function* stream(request: ChatRequest, run: ChatRun, services: Services): AsyncGenerator<ChatEvent> {
	run.signal.throwIfAborted();
	const conversation = readConversation(request);
	const { question, results } = conversation;
	const tools = results.length > 0 ? [] : chooseTools(request, question);
	if (tools.length > 0) return yield* callTools(tools, question, request, services.maker, run);
	const { text, warning } = await answer(request, conversation, run, services);
	if (warning) yield { type: 'warning', message: warning };
	for (const event of pieces(text, request.maxTokens)) {
		run.signal.throwIfAborted();
		yield event;
	}
}

async function answer(
	{ format }: ChatRequest,
	conversation: Conversation,
	run: ChatRun,
	{ searcher, maker }: Services,
): Promise<{ readonly text: string; readonly warning?: string }> {
	if (format.type === 'text') return { text: await searcher.answer(conversation, run.signal) };
	const { question: message, results, documents } = conversation;
	const texts = [
		...results.map(({ text }) => text),
		...documents.map(({ pages }) => pages.map(({ text }) => text).join('\n')),
	];
	const schema = format.type === 'schema' ? format.schema : { type: 'object' };
	const { json, isMadeUp } = await maker.make({ schema, message, texts, param: 'response_format' }, run);
	if (!isMadeUp) return { text: json };
	if (format.type === 'json') {
		return { text: JSON.stringify({ answer: await searcher.answer(conversation, run.signal) }) };
	}
	return { text: json, warning: 'The values are made up: neither the message nor a document has JSON for the schema.' };
}

/** A text word by word; cut with `length` at a word when it has more than `maxTokens` of about four characters. */
function* pieces(text: string, maxTokens = Number.POSITIVE_INFINITY): Generator<ChatEvent> {
	let left = maxTokens * charactersPerToken;
	let isFirst = true;
	for (const [word] of text.matchAll(/\s*\S+/g)) {
		if (word.length > left) {
			if (isFirst) yield { type: 'text', text: word.slice(0, left) };
			yield { type: 'finish', reason: 'length' };
			return;
		}
		yield { type: 'text', text: word };
		left -= word.length;
		isFirst = false;
	}
	yield { type: 'finish', reason: 'stop' };
}
