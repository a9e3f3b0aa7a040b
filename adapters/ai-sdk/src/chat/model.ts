import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { defineModel } from '@plinth/core';
import { type ChatRequest, type ChatRun, chatModels } from '@plinth/plugin-chat/model';
import { z } from 'zod';
import { callProvider, failureOf, notSent } from '../failure.ts';
import { loadModel } from '../load.ts';
import { configFor, description, flag, number, signed } from '../options.ts';
import { eventsOf, type StreamPart } from './events.ts';
import { promptOf } from './prompt.ts';

type LanguageModel = LanguageModelV3 | LanguageModelV4;
type CallOptions = Parameters<LanguageModelV3['doStream']>[0] & Parameters<LanguageModelV4['doStream']>[0];

const config = configFor<LanguageModelV3 | LanguageModelV4>()({
	/** Whether the model accepts pictures. */
	images: flag().default(false),
	/** Whether the model accepts audio. */
	audio: flag().default(false),
	/** Media types of files that the model reads itself, such as `application/pdf`. Other files arrive as text. */
	files: z.array(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/)).default([]),
	/** Whether the model calls tools. */
	tools: flag().default(true),
	/** The JSON that the model guarantees: none, `json` objects, or what a `schema` describes. */
	json: z.enum(['none', 'json', 'schema']).default('schema'),
	/** Maximum characters of documents in one request. */
	documentCharacters: number().int().min(1).optional(),
	/** The length of the model's context in tokens. Requests for longer answers are refused. */
	contextTokens: number().int().min(1).optional(),
});

type Config = z.output<typeof config>;

/** A language model of a provider. Answers are streamed. */
export const chat = defineModel({
	kind: chatModels,
	name: 'aiSdk.chat',
	description,
	config,
	async create({ config, folder }) {
		const model = await loadModel<LanguageModel>(config, 'language', folder);
		const { images, audio, files, tools, json, contextTokens, documentCharacters } = config;
		return {
			apiVersion: 1,
			abilities: { images, audio, files, tools, json, contextTokens, documentCharacters },
			stream: (request, run) => answer(model, config, request, run),
		};
	},
});

async function* answer(model: LanguageModel, { providerOptions }: Config, request: ChatRequest, run: ChatRun) {
	const { provider, specificationVersion: version } = model;
	const isSerial = request.tools.length > 0 && !request.parallelToolCalls;
	const ignored = notSent({ reasoning_effort: version === 'v3' && request.effort, parallel_tool_calls: isSerial });
	const options = { ...(await optionsOf(request, run, version)), providerOptions } as CallOptions;
	const { stream } = await callProvider<{ stream: unknown }>(run.signal, provider, () => model.doStream(options));
	try {
		for (const message of ignored) yield { type: 'warning', message } as const;
		yield* eventsOf(stream as ReadableStream<StreamPart>, provider, run.signal);
	} catch (error) {
		throw run.signal.aborted ? run.signal.reason : failureOf(error, provider);
	}
}

async function optionsOf(request: ChatRequest, { seed, signal }: ChatRun, version: 'v3' | 'v4') {
	const { tools, toolChoice, format, stop, effort, maxTokens: maxOutputTokens } = request;
	const { temperature, topP, presencePenalty, frequencyPenalty } = request;
	return {
		prompt: await promptOf(request.messages, version),
		...{ maxOutputTokens, temperature, topP, presencePenalty, frequencyPenalty },
		stopSequences: stop.length > 0 ? stop : undefined,
		reasoning: version === 'v4' ? effort : undefined,
		...(tools.length > 0 ? { tools: tools.map(toolOf) } : {}),
		toolChoice: typeof toolChoice === 'string' ? { type: toolChoice } : { type: 'tool', toolName: toolChoice.name },
		responseFormat: format.type === 'text' ? undefined : { ...format, type: 'json' },
		seed: signed(seed),
		abortSignal: signal,
	};
}

function toolOf({ name, description, parameters, isStrict }: ChatRequest['tools'][number]) {
	const inputSchema = parameters ?? { type: 'object', properties: {} };
	return { type: 'function', name, inputSchema, ...(description ? { description } : {}), strict: isStrict };
}
