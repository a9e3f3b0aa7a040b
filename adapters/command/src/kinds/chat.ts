import { defineModel, services } from '@plinth/core';
import type { ChatAbilities, ChatEvent, ChatModel, ChatRequest } from '@plinth/plugin-chat/model';
import { chatModels } from '@plinth/plugin-chat/model';
import { z } from 'zod';
import { warningsOf } from '../protocol/argv.ts';
import { runJson } from '../protocol/json.ts';
import type { Message } from '../protocol/messages.ts';
import { type JsonProgram, jsonProgram, number, plainProgram } from '../protocol/options.ts';
import { streamPlain } from '../protocol/plain.ts';
import type { Run } from '../run/run.ts';
import { Runs } from '../run/runs.ts';
import { transcript, writeParts } from './conversation.ts';

const placeholders = { required: ['seed'], optional: ['maxTokens', 'temperature', 'topP'], files: [] };

const count = number().int().min(1).optional();

const limits = {
	/** Maximum document characters of one request. */
	documentCharacters: count,
	/** The length of the program's context in tokens. Requests for longer answers are refused. */
	contextTokens: count,
};

const config = z.discriminatedUnion('protocol', [
	jsonProgram.extend({
		...limits,
		/** Whether the program calls tools. The plugin refuses requests for unsupported features. */
		tools: z.boolean().default(false),
		/** Whether it supports JSON output, and schemas. */
		json: z.enum(['none', 'json', 'schema']).default('none'),
		/** Whether it accepts pictures. */
		images: z.boolean().default(false),
		/** Whether it accepts audio. */
		audio: z.boolean().default(false),
		/** Media types of files that it accepts. */
		files: z.array(z.string()).default([]),
	}),
	plainProgram(placeholders).extend(limits),
]);

type Config = z.output<typeof config>;
type Plain = Extract<Config, { protocol: 'plain' }>;

/** A program as a chat model: by messages of the JSON protocol, or with UTF-8 text on stdout, which is streamed. */
export const commandChat = defineModel({
	kind: chatModels,
	name: 'command.chat',
	description: 'A program of the operator.',
	config,
	needs: { clock: services.clock },
	create(context): ChatModel {
		const { config } = context;
		const runs = new Runs(config, context);
		return {
			apiVersion: 1,
			abilities: abilitiesOf(config),
			async *stream(request, { signal, seed }) {
				const run = await runs.open(signal);
				try {
					yield* config.protocol === 'json'
						? streamMessages(run, config, request, seed)
						: streamOutput(run, config, request, seed);
				} catch (error) {
					// After an abort, its reason replaces any other error.
					run.signal.throwIfAborted();
					throw error;
				} finally {
					void run.close();
				}
			},
		};
	},
});

function abilitiesOf(config: Config): ChatAbilities {
	const { documentCharacters, contextTokens } = config;
	const limits = { documentCharacters, contextTokens };
	if (config.protocol === 'plain') return { ...limits, tools: false, json: 'none' };
	const { tools, json, images, audio, files } = config;
	return { ...limits, tools, json, images, audio, files };
}

async function* streamMessages(run: Run, config: JsonProgram, request: ChatRequest, seed: number) {
	const messages = await writeParts(run.folder, request.messages);
	for await (const message of runJson(run, config, { ...request, messages, seed, kind: 'chat' })) {
		const event = toEvent(message);
		if (event) yield event;
	}
}

function toEvent(message: Message): ChatEvent | undefined {
	const { type } = message;
	if (type === 'delta') return { type: 'text', text: message.text };
	if (type === 'progress' || type === 'partial' || type === 'error') return undefined;
	if (type !== 'result') return message;
	const { finish: reason, usage } = message;
	return reason && { type: 'finish', reason, ...(usage && { usage }) };
}

async function* streamOutput(run: Run, config: Plain, request: ChatRequest, seed: number): AsyncGenerator<ChatEvent> {
	const { maxTokens, temperature, topP, presencePenalty, frequencyPenalty, effort, messages } = request;
	const options = { maxTokens, temperature, topP };
	const others = { presencePenalty, frequencyPenalty, reasoningEffort: effort };
	const warnings = warningsOf(config.argv, { ...options, ...others });
	const printing = { text: transcript(messages), values: { ...options, seed }, output: 'output.txt' };
	const decoder = new TextDecoder('utf-8', { fatal: true });
	const read = (bytes?: Buffer) => {
		try {
			return decoder.decode(bytes, { stream: bytes !== undefined });
		} catch (cause) {
			throw run.failure('printed text that is not UTF-8', cause);
		}
	};
	for await (const bytes of streamPlain(run, config, printing)) {
		for (const message of warnings.splice(0)) yield { type: 'warning', message };
		const text = read(bytes);
		if (text !== '') yield { type: 'text', text };
	}
	// Incomplete characters at the end are an error.
	read();
}
