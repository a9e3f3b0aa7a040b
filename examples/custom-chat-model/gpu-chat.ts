import { defineModel, modelError } from '@plinth/core';
import { chatModels } from '@plinth/plugin-chat/model';
import { z } from 'zod';

/**
 * A chat model with its own server: one POST that streams text. The plugin puts the text of attached files into the
 * messages.
 */
export const gpuChat = defineModel({
	kind: chatModels,
	name: 'gpu.chat',
	description: 'Answers on our own GPU server.',
	config: z.strictObject({ url: z.url() }),
	create: ({ config }) => ({
		apiVersion: 1,
		abilities: { documentCharacters: 100_000, tools: false, json: 'none' },
		async *stream({ messages }, { signal, seed }) {
			const textOf = (part: object) => ('text' in part ? part.text : '');
			const turns = messages.map(({ role, content }) => ({ role, texts: content.map(textOf) }));
			const body = JSON.stringify({ turns, seed });
			const answer = await fetch(`${config.url}/answer`, { method: 'POST', body, signal });
			if (!answer.ok || !answer.body) throw modelError(`The GPU answered ${answer.status}.`);
			for await (const text of answer.body.pipeThrough(new TextDecoderStream())) yield { type: 'text', text };
		},
	}),
});
