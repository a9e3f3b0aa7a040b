import { defineModel, modelError } from '@plinth/core';
import { type ChatEvent, type ChatModel, chatModels } from '@plinth/plugin-chat/model';
import { z } from 'zod';

/**
 * A chat model that repeats the last user message word by word. A word that begins with "fail:" makes it fail after the
 * first chunk. Before each chunk it waits for `held` or for its signal. It adds the signals of its calls to `signals`.
 */
export function fakeChat(options: { readonly held?: () => Promise<void>; readonly signals?: AbortSignal[] } = {}) {
	const { held = async () => {}, signals = [] } = options;
	return defineModel({
		kind: chatModels,
		name: 'test.echo',
		description: 'Repeats the last user message.',
		config: z.strictObject({}),
		create: (): ChatModel => ({
			apiVersion: 1,
			async *stream({ messages }, { signal }): AsyncGenerator<ChatEvent> {
				signals.push(signal);
				const content = messages.findLast(({ role }) => role === 'user')?.content ?? [];
				const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
				const [, reason] = /^fail:\s*(.+)$/s.exec(text) ?? [];
				for (const word of text.match(/\S+\s*/g) ?? ['…']) {
					await held();
					signal.throwIfAborted();
					yield { type: 'text', text: word };
					if (reason) throw modelError(reason);
				}
			},
		}),
	})();
}
