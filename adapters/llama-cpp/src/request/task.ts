import { unsupportedValue } from '@plinth/core';
import type { ChatRequest, ChatTool } from '@plinth/plugin-chat/model';
import type { AnswerTask } from '../engine/messages.ts';
import type { ChatOptions } from '../options.ts';
import { toHistory } from './history.ts';
import { anyObject, SchemaTranslator } from './schema.ts';

/** A request for the engine, with a warning for each option that has no effect. Throws 400 errors. */
export function toTask(request: ChatRequest, { topK, minP, ...options }: ChatOptions, seed: number) {
	const { toolChoice, tools, stop, maxTokens, frequencyPenalty = 0, presencePenalty = 0 } = request;
	const warnings = new Set(request.effort === undefined ? [] : ['This model ignores reasoning_effort.']);
	const schema = schemaOf(request, warnings);
	const isNamed = typeof toolChoice === 'object';
	const isCallRequired = isNamed || toolChoice === 'required';
	const callable = tools.filter(({ name }) => (isNamed ? name === toolChoice.name : toolChoice !== 'none'));
	if (schema && callable.length > 0 && !isCallRequired) {
		const message = 'This model makes JSON or calls tools, not both. Leave out tools, or set tool_choice to none.';
		throw unsupportedValue('response_format', message);
	}
	const functions = callable.map((tool) => [tool.name, toFunction(tool, tools.indexOf(tool), warnings)] as const);
	const { temperature = options.temperature, topP = options.topP } = request;
	const hasPenalty = frequencyPenalty !== 0 || presencePenalty !== 0;
	const task: AnswerTask = {
		history: toHistory(request.messages),
		functions: Object.fromEntries(functions),
		isCallRequired,
		schema: isCallRequired ? undefined : schema,
		options: {
			...{ temperature, topP, topK, minP, seed, maxTokens },
			customStopTriggers: stop,
			repeatPenalty: hasPenalty ? { penalty: 1, frequencyPenalty, presencePenalty } : false,
			...(callable.length > 0 && !request.parallelToolCalls ? { maxParallelFunctionCalls: 1 } : {}),
		},
	};
	return { task, warnings };
}

function schemaOf({ format }: ChatRequest, warnings: Set<string>): object | undefined {
	if (format.type === 'text') return undefined;
	if (format.type === 'json') return anyObject;
	return new SchemaTranslator('response_format.json_schema.schema', format.isStrict, warnings).translate(format.schema);
}

function toFunction({ description, parameters, isStrict }: ChatTool, index: number, warnings: Set<string>) {
	const translator = new SchemaTranslator(`tools[${index}].function.parameters`, isStrict, warnings);
	const params = parameters && translator.translate({ type: 'object', ...parameters });
	return { ...(description !== undefined && { description }), ...(params && { params }) };
}
