import { defineModel, modelError } from '@plinth/core';
import { type ChatEvent, type ChatModel, chatModels } from '@plinth/plugin-chat/model';
import { z } from 'zod';

/**
 * A chat model that says its last user's words back, word by word. Words that begin with "fail:" break it off behind the first piece. `held`
 * is waited for before each piece, until its signal aborts; signals of its calls are put into `signals`.
 */
export function fakeChat(options: { readonly held?: () => Promise<void>; readonly signals?: AbortSignal[] } = {}) {
	const { held = async () => {}, signals = [] } = options;
	return defineModel({
		kind: chatModels,
		name: 'test.echo',
		description: 'Says back what it hears.',
		config: z.strictObject({}),
		create: (): ChatModel => ({
			apiVersion: 1,
			async *stream({ messages }, { signal }): AsyncGenerator<ChatEvent> {
				signals.push(signal);
				const said = messages.findLast(({ role }) => role === 'user')?.content ?? [];
				const text = said.map((part) => (part.type === 'text' ? part.text : '')).join('');
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
