import { defineModel, services } from '@plinth/core';
import {
	type ChatAbilities,
	type ChatEvent,
	type ChatModel,
	type ChatRequest,
	type ChatRun,
	chatModels,
} from '@plinth/plugin-chat/model';
import { z } from 'zod';
import { placeholdersIn } from '../protocol/argv.ts';
import { runJson } from '../protocol/json.ts';
import type { Message } from '../protocol/messages.ts';
import { jsonProgram, plainProgram } from '../protocol/options.ts';
import { startPlain } from '../protocol/plain.ts';
import type { Run } from '../run/run.ts';
import { createRuns } from '../run/runs.ts';
import { transcript, writeParts } from './conversation.ts';

const placeholders = {
	required: ['seed'],
	optional: ['maxTokens', 'temperature', 'topP'],
	files: [],
};

// Configs in YAML hold `${NAME}`, which arrives as a string.
const documentCharacters = z.coerce.number<number | string>().int().min(1).optional();

const config = z.discriminatedUnion('protocol', [
	jsonProgram.extend({
		/** Maximum document characters of one request. */
		documentCharacters,
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
	plainProgram(placeholders).extend({ documentCharacters }),
]);

type Config = z.output<typeof config>;

/** A program as a chat model: by messages of the JSON protocol, or with UTF-8 text on stdout, which is streamed. */
export const commandChat = defineModel({
	kind: chatModels,
	name: 'command.chat',
	description: 'A program of the operator.',
	config,
	needs: { clock: services.clock },
	create(context): ChatModel {
		const { config } = context;
		const runs = createRuns(config, context);
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
	const { documentCharacters } = config;
	const limits = documentCharacters === undefined ? {} : { documentCharacters };
	if (config.protocol === 'plain') return { ...limits, tools: false, json: 'none' };
	const { tools, json, images, audio, files } = config;
	return { ...limits, tools, json, images, audio, files };
}

async function* streamMessages(
	run: Run,
	config: Extract<Config, { protocol: 'json' }>,
	request: ChatRequest,
	seed: ChatRun['seed'],
): AsyncGenerator<ChatEvent> {
	const messages = await writeParts(run.folder, request.messages);
	for await (const message of runJson(run, config, { ...request, messages, seed, kind: 'chat' })) {
		const event = toEvent(message);
		if (event) yield event;
	}
}

function toEvent(message: Message): ChatEvent | undefined {
	switch (message.type) {
		case 'delta':
			return { type: 'text', text: message.text };
		case 'reasoning':
		case 'refusal':
		case 'tool_call':
		case 'warning':
			return message;
		case 'result': {
			const { finish: reason, usage } = message;
			return reason && { type: 'finish', reason, ...(usage && { usage }) };
		}
		default:
			return undefined;
	}
}

async function* streamOutput(
	run: Run,
	config: Extract<Config, { protocol: 'plain' }>,
	request: ChatRequest,
	seed: ChatRun['seed'],
): AsyncGenerator<ChatEvent> {
	const { maxTokens, temperature, topP, messages } = request;
	const values = { seed, maxTokens, temperature, topP };
	const output = 'output.txt';
	const program = await startPlain(run, config, { text: transcript(messages), values, output });
	for (const message of ignoredOptions(config, request)) yield { type: 'warning', message };
	const decoder = new TextDecoder('utf-8', { fatal: true });
	const read = (bytes?: Buffer) => {
		try {
			return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
		} catch (cause) {
			throw program.failure('printed text that is not UTF-8', cause);
		}
	};
	const writesFile = placeholdersIn(config.argv).has('output');
	let isSilent = true;
	for await (const bytes of program.stdout()) {
		const text = writesFile ? '' : read(bytes);
		if (text === '') continue;
		isSilent = false;
		yield { type: 'text', text };
	}
	await program.waitForSuccess();
	const end = writesFile ? read(await run.read(output)) + read() : read();
	if (end !== '') yield { type: 'text', text: end };
	else if (isSilent) throw program.failure('ended without a result');
}

/** One warning for each option that the program does not support. */
function ignoredOptions({ argv }: Extract<Config, { protocol: 'plain' }>, request: ChatRequest): readonly string[] {
	const supported = placeholdersIn(argv);
	const options = [
		['max_tokens', request.maxTokens, supported.has('maxTokens')],
		['temperature', request.temperature, supported.has('temperature')],
		['top_p', request.topP, supported.has('topP')],
		['presence_penalty', request.presencePenalty, false],
		['frequency_penalty', request.frequencyPenalty, false],
		['reasoning_effort', request.effort, false],
	] as const;
	return options
		.filter(([, value, isSupported]) => value !== undefined && !isSupported)
		.map(([name]) => `This model ignores ${name}.`);
}
