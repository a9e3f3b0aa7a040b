import { invalidValue, unsupportedValue } from '@plinth/core';
import type { ChatFormat, ChatRequest, ChatTool } from '../model.ts';
import type { ChatBody } from './fields.ts';

/** The options of a request, without its messages. */
export type ChatOptions = Omit<ChatRequest, 'messages'>;

/** Parses the options of a body. Throws 400 errors for conflicting fields and for unsupported ones. */
export function chatOptions(body: ChatBody): ChatOptions {
	refuseUnsupported(body);
	const tools = toolsOf(body);
	const { stop = [] } = body;
	return {
		tools,
		toolChoice: toolChoiceOf(body, tools),
		parallelToolCalls: body.parallel_tool_calls && !isLegacy(body),
		format: formatOf(body),
		stop: typeof stop === 'string' ? [stop] : stop,
		...defined({
			maxTokens: body.max_completion_tokens ?? body.max_tokens,
			temperature: body.temperature,
			topP: body.top_p,
			presencePenalty: body.presence_penalty,
			frequencyPenalty: body.frequency_penalty,
			effort: body.reasoning_effort,
			user: body.user,
			topLogprobs: body.logprobs ? (body.top_logprobs ?? 0) : undefined,
		}),
	};
}

/** Whether the client uses the older `functions`; the response then has that form. */
export function isLegacy({ functions }: ChatBody): boolean {
	return functions !== undefined;
}

function refuseUnsupported({ modalities, logprobs, top_logprobs: alternatives }: ChatBody): void {
	if (alternatives !== undefined && !logprobs) {
		throw invalidValue('top_logprobs', 'top_logprobs needs logprobs: true.');
	}
	if (modalities?.some((name) => name !== 'text')) {
		throw unsupportedValue('modalities', 'Answers are text only. Leave modalities out, or send ["text"].');
	}
}

function toolsOf({ tools, functions }: ChatBody): readonly ChatTool[] {
	if (tools && functions) {
		throw invalidValue('functions', 'Send tools or functions, not both.');
	}
	const named = tools?.map((tool, index) => {
		if (tool.type === 'function') return tool.function;
		throw unsupportedValue(
			`tools[${index}].type`,
			`tools[${index}].type: only functions can be called here. Describe the tool as a function.`,
		);
	});
	return (named ?? functions ?? []).map(({ name, description, parameters, strict }) => ({
		name,
		isStrict: strict ?? false,
		...(description ? { description } : {}),
		...(parameters ? { parameters } : {}),
	}));
}

function toolChoiceOf(body: ChatBody, tools: readonly ChatTool[]): ChatRequest['toolChoice'] {
	const { tool_choice: choice, function_call: legacy } = body;
	if (isLegacy(body) && typeof legacy === 'object') {
		return named(legacy.name, 'function_call.name', tools);
	}
	if (isLegacy(body) && typeof legacy === 'string') return legacy;
	if (typeof choice === 'object') {
		return named(choice.function.name, 'tool_choice.function.name', tools);
	}
	if (choice === 'required' && tools.length === 0) {
		throw invalidValue('tool_choice', 'tool_choice: a call is required, but there are no tools.');
	}
	return choice ?? 'auto';
}

function named(name: string, param: string, tools: readonly ChatTool[]): { readonly name: string } {
	if (tools.some((tool) => tool.name === name)) return { name };
	throw invalidValue(param, `${param}: there is no tool "${name.slice(0, 64)}" in the request.`);
}

function formatOf({ response_format: format }: ChatBody): ChatFormat {
	if (!format || format.type === 'text') return { type: 'text' };
	if (format.type === 'json_object') return { type: 'json' };
	const { name, schema, strict } = format.json_schema;
	return { type: 'schema', name, schema: schema ?? {}, isStrict: strict ?? false };
}

function defined<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
	const present: Partial<T> = {};
	for (const name in members) if (members[name] !== undefined) present[name] = members[name];
	return present as { [K in keyof T]?: NonNullable<T[K]> };
}
