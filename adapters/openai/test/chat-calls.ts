import type { ChatEvent, ChatModel, ChatRequest, TextPart } from '@plinth/plugin-chat/model';
import { silentLogger } from '@plinth/testing';
import { openai } from '../src/index.ts';
import { all, modelOf } from './harness.ts';
import { type Handler, scripted } from './upstream.ts';

/** A text part. */
export const textPart = (text: string): TextPart => ({ type: 'text', text });

/** A chat request with one user message. */
export function chatRequest(part: Partial<ChatRequest> = {}): ChatRequest {
	return {
		messages: [{ role: 'user', content: [textPart('Hello?')] }],
		tools: [],
		toolChoice: 'auto',
		parallelToolCalls: true,
		format: { type: 'text' },
		stop: [],
		...part,
	};
}

/** All events of a model for a request. */
export function answer(
	model: ChatModel,
	part: Partial<ChatRequest> = {},
	signal: AbortSignal = new AbortController().signal,
): Promise<ChatEvent[]> {
	return all(model.stream(chatRequest(part), { signal, seed: 7, log: silentLogger() }));
}

/** A chunk of a chat completion stream. */
export function chunk(delta: object, finish: string | null = null, more: object = {}): object {
	return { choices: [{ index: 0, delta, finish_reason: finish }], ...more };
}

/** The chunks of a complete short answer. */
export const hello: readonly (object | string)[] = [
	chunk({ role: 'assistant', content: '' }),
	chunk({ content: 'Hel' }),
	chunk({ content: 'lo.' }),
	chunk({}, 'stop'),
	{ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
	'[DONE]',
];

/** All events of a model whose upstream answers with this handler. */
export async function answerTo(handler: Handler, part?: Parameters<typeof answer>[1]): Promise<ChatEvent[]> {
	const { baseURL } = await scripted(handler);
	return answer(await modelOf(openai.chat({ baseURL, retries: 0 })), part);
}
