import type { JsonObject } from '@plinth/core';
import { codePoints } from '@plinth/core';
import { z } from 'zod';
import { message, toolName } from './messages.ts';

/** Maximum lengths of lists, and maximum answers per request. */
export const chatLimits = { messages: 2_048, tools: 128, answers: 8, stops: 4 } as const;

// Not `z.json()`: in OpenAPI it would be an anonymous recursive schema.
const schemaObject = z
	.custom<JsonObject>(
		(value) => typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value),
		{
			error: 'expected an object',
			params: { code: 'E_VALUE_TYPE' },
		},
	)
	.meta({ override: { type: 'object', additionalProperties: true } });

const functionTool = z.object({
	name: toolName,
	description: z.string().nullish(),
	parameters: schemaObject.nullish().meta({ description: 'JSON Schema of the arguments.' }),
	strict: z.boolean().nullish(),
});

const tool = z.discriminatedUnion('type', [
	z.object({ type: z.literal('function'), function: functionTool }),
	z.object({ type: z.literal('custom') }).meta({ description: 'Not available.' }),
]);

const toolChoice = z.union([
	z.enum(['none', 'auto', 'required']),
	z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
]);

const functionChoice = z.union([z.enum(['none', 'auto']), z.object({ name: z.string() })]);

const responseFormat = z.discriminatedUnion('type', [
	z.object({ type: z.literal('text') }),
	z.object({ type: z.literal('json_object') }),
	z.object({
		type: z.literal('json_schema'),
		json_schema: z.object({
			name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
			description: z.string().nullish(),
			schema: schemaObject.nullish(),
			strict: z.boolean().nullish(),
		}),
	}),
]);

const tokens = z.int().min(1);
const stopSequence = codePoints({ max: 1024 });

/** The body of `POST /v1/chat/completions`. It keeps members that are not listed here: a model may accept them. */
export const chatBody = z
	.looseObject({
		model: codePoints({ min: 1, max: 256 }).meta({
			description: 'The id of a chat model; GET /v1/models lists them.',
		}),
		messages: z.array(message).min(1).max(chatLimits.messages).meta({ description: 'The conversation, oldest first.' }),
		n: z.int().min(1).max(chatLimits.answers).default(1).meta({ description: 'How many answers to make.' }),
		stream: z
			.boolean()
			.default(false)
			.meta({ description: 'Answers with server-sent events while the answer is made.' }),
		stream_options: z.object({ include_usage: z.boolean().nullish() }).optional(),
		tools: z.array(tool).max(chatLimits.tools).optional(),
		tool_choice: toolChoice.optional(),
		parallel_tool_calls: z.boolean().default(true),
		functions: z
			.array(functionTool)
			.max(chatLimits.tools)
			.optional()
			.meta({ description: 'The older form of `tools`. The answer then has `function_call`.' }),
		function_call: functionChoice.optional().meta({ description: 'The older form of `tool_choice`.' }),
		response_format: responseFormat.optional(),
		stop: z
			.union([stopSequence, z.array(stopSequence).max(chatLimits.stops)])
			.optional()
			.meta({ description: 'The answer ends before the first of these.' }),
		seed: z.int().optional().meta({ description: 'Equal requests with equal seeds make equal answers.' }),
		temperature: z.number().min(0).max(2).optional(),
		top_p: z.number().min(0).max(1).optional(),
		presence_penalty: z.number().min(-2).max(2).optional(),
		frequency_penalty: z.number().min(-2).max(2).optional(),
		max_completion_tokens: tokens.optional(),
		max_tokens: tokens.optional().meta({ description: 'The older name of `max_completion_tokens`.' }),
		logprobs: z
			.boolean()
			.optional()
			.meta({ description: 'Returns the log probability of each token, where the model reports it.' }),
		top_logprobs: z
			.int()
			.min(0)
			.max(20)
			.optional()
			.meta({ description: 'How many alternatives of each token to return. Needs `logprobs: true`.' }),
		modalities: z.array(z.string()).optional(),
		reasoning_effort: z.string().max(64).optional(),
		user: codePoints({ max: 1024 }).optional(),
	})
	.meta({
		id: 'ChatCompletionCreate',
		description: 'The conversation so far, and the options of the answer.',
		examples: [
			{
				model: 'builtin-chat',
				messages: [
					{
						role: 'user',
						content: [
							{ type: 'text', text: 'What is the total?' },
							{
								type: 'file',
								file: {
									filename: 'bill.txt',
									file_data: 'data:text/plain;base64,VG90YWw6IDQyIEVVUg==',
								},
							},
						],
					},
				],
			},
		],
	});

/** A checked body. */
export type ChatBody = z.output<typeof chatBody>;

/** Whether a value is JSON. A file that replaced a long data URL is not. */
export function isJson(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return typeof value !== 'function';
	const prototype: unknown = Object.getPrototypeOf(value);
	const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
	return isPlain && Object.values(value).every(isJson);
}
