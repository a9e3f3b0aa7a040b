import { type Json, type JsonObject, unsupportedValue } from '@plinth/core';
import type { ChatFormat, ChatRequest, ChatTool } from '@plinth/plugin-chat/model';
import type { Fields } from '../upstream/request.ts';
import type { ChatDialect } from './dialects.ts';
import { wireMessages } from './messages.ts';

/** Inputs of the translation. */
export interface ChatWire {
	readonly model: string;
	readonly seed: number;
	readonly dialect: ChatDialect;
	/** Whether the server may fetch pictures from URLs of clients. */
	readonly pictureUrls: boolean;
	/** Whether the response is a stream of events. */
	readonly stream: boolean;
}

/** Parameters of the client that an error may name. */
export const chatParams: ReadonlySet<string> = new Set([
	'messages',
	'tools',
	'tool_choice',
	'parallel_tool_calls',
	'response_format',
	'max_tokens',
	'max_completion_tokens',
	'temperature',
	'top_p',
	'presence_penalty',
	'frequency_penalty',
	'stop',
	'seed',
	'reasoning_effort',
	'user',
	'logprobs',
	'top_logprobs',
]);

/** The request body for the server. Throws 400 `unsupported_value` for what the server cannot express. */
export async function wireRequest(request: ChatRequest, wire: ChatWire): Promise<Fields> {
	const { dialect, model, seed, stream } = wire;
	return {
		...request.extra,
		model,
		messages: await wireMessages(request.messages, wire.pictureUrls),
		...toolsOf(request, dialect),
		...formatOf(request.format),
		[dialect.maxTokens]: request.maxTokens,
		temperature: request.temperature,
		top_p: request.topP,
		presence_penalty: request.presencePenalty,
		frequency_penalty: request.frequencyPenalty,
		stop: request.stop.length > 0 ? request.stop : undefined,
		seed,
		reasoning_effort: dialect.effort ? request.effort : undefined,
		user: request.user,
		logprobs: request.topLogprobs === undefined ? undefined : true,
		top_logprobs: request.topLogprobs || undefined,
		stream,
		stream_options: stream ? { include_usage: true } : undefined,
	};
}

/** Warnings about options that the server does not support. */
export function ignoredOptions({ effort }: ChatRequest, dialect: ChatDialect): readonly string[] {
	return effort === undefined || dialect.effort ? [] : ['reasoning_effort: this model does not support it.'];
}

function toolsOf({ tools, toolChoice, parallelToolCalls }: ChatRequest, dialect: ChatDialect): Fields {
	// A server without `none` would still call the tools.
	if (tools.length === 0 || (toolChoice === 'none' && dialect.toolChoice === 'auto')) return {};
	const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
	if (isForced && dialect.toolChoice === 'auto') {
		throw unsupportedValue(
			'tool_choice',
			'The server of the model cannot be made to call a tool. Use "auto" or "none".',
		);
	}
	const offered =
		typeof toolChoice === 'object' && dialect.toolChoice === 'required'
			? tools.filter(({ name }) => name === toolChoice.name)
			: tools;
	return {
		tools: offered.map(toolOf),
		tool_choice: choiceOf(toolChoice, dialect),
		parallel_tool_calls: parallelToolCalls ? undefined : false,
	};
}

function toolOf({ name, description, parameters, isStrict }: ChatTool): JsonObject {
	return {
		type: 'function',
		function: {
			name,
			...(description === undefined ? {} : { description }),
			parameters: parameters ?? { type: 'object', properties: {} },
			...(isStrict ? { strict: true } : {}),
		},
	};
}

function choiceOf(choice: ChatRequest['toolChoice'], dialect: ChatDialect): Json | undefined {
	if (choice === 'auto') return undefined;
	if (typeof choice === 'string') return choice;
	// A server that cannot name a tool is offered only this tool.
	if (dialect.toolChoice === 'required') return 'required';
	return { type: 'function', function: { name: choice.name } };
}

function formatOf(format: ChatFormat): Fields {
	switch (format.type) {
		case 'text':
			return {};
		case 'json':
			return { response_format: { type: 'json_object' } };
		case 'schema': {
			const { name, schema, isStrict: strict } = format;
			return { response_format: { type: 'json_schema', json_schema: { name, schema, strict } } };
		}
	}
}
