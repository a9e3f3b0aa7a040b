import type { ChatEvent, ChatRequest, ChatRun } from '@plinth/plugin-chat/model';
import { Searcher } from './answer.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { JsonMaker } from './json.ts';
import { callTools, chooseTools } from './tools.ts';

const charactersPerToken = 4;

/** Answers conversations with tool calls, passages of documents, or JSON. It has threads for search and JSON. */
export class Answerer {
	readonly #searcher = new Searcher();
	readonly #maker = new JsonMaker();

	async *stream(request: ChatRequest, run: ChatRun): AsyncGenerator<ChatEvent> {
		run.signal.throwIfAborted();
		const conversation = readConversation(request);
		const { question, results } = conversation;
		const tools = results.length > 0 ? [] : chooseTools(request, question);
		if (tools.length > 0) return yield* callTools(tools, question, request, this.#maker, run);
		const { text, warning } = await this.#answer(request, conversation, run);
		if (warning) yield { type: 'warning', message: warning };
		for (const event of pieces(text, request.maxTokens)) {
			run.signal.throwIfAborted();
			yield event;
		}
	}

	/** Ends the threads. */
	async close(): Promise<void> {
		await this.#maker.close();
		await this.#searcher.close();
	}

	async #answer(
		{ format }: ChatRequest,
		conversation: Conversation,
		run: ChatRun,
	): Promise<{ readonly text: string; readonly warning?: string }> {
		if (format.type === 'text') return { text: await this.#searcher.answer(conversation, run.signal) };
		const { question: message, results, documents } = conversation;
		const texts = [
			...results.map(({ text }) => text),
			...documents.map(({ pages }) => pages.map(({ text }) => text).join('\n')),
		];
		const schema = format.type === 'schema' ? format.schema : { type: 'object' };
		const { json, isMadeUp } = await this.#maker.make({ schema, message, texts, param: 'response_format' }, run);
		if (!isMadeUp) return { text: json };
		if (format.type === 'json') {
			return { text: JSON.stringify({ answer: await this.#searcher.answer(conversation, run.signal) }) };
		}
		return {
			text: json,
			warning: 'The values are made up: neither the message nor a document has JSON for the schema.',
		};
	}
}

/** Yields a text word by word. After `maxTokens` of about four characters each, it ends with `length`. */
function* pieces(text: string, maxTokens = Number.POSITIVE_INFINITY): Generator<ChatEvent> {
	let remaining = maxTokens * charactersPerToken;
	let isFirst = true;
	for (const [word] of text.matchAll(/\s*\S+/g)) {
		if (word.length > remaining) {
			if (isFirst) yield { type: 'text', text: word.slice(0, remaining) };
			yield { type: 'finish', reason: 'length' };
			return;
		}
		yield { type: 'text', text: word };
		remaining -= word.length;
		isFirst = false;
	}
	yield { type: 'finish', reason: 'stop' };
}
