import { z } from 'zod';

const called = z.object({
	name: z.string(),
	arguments: z.string().meta({ description: 'JSON text.' }),
});

const message = z
	.object({
		role: z.literal('assistant'),
		content: z.string().nullable(),
		refusal: z.string().nullable(),
		annotations: z.array(z.unknown()),
		reasoning_content: z.string().optional(),
		tool_calls: z.array(z.object({ id: z.string(), type: z.literal('function'), function: called })).optional(),
		function_call: called.optional().meta({ description: 'In place of `tool_calls` for a request with `functions`.' }),
	})
	.meta({ id: 'ChatAnswerMessage' });

/** A complete response. */
export const chatCompletion = z
	.object({
		id: z.string(),
		object: z.literal('chat.completion'),
		created: z.int().meta({ description: 'Seconds since the Unix epoch.' }),
		model: z.string(),
		system_fingerprint: z.string(),
		choices: z.array(
			z.object({
				index: z.int(),
				message,
				logprobs: z
					.object({ content: z.array(z.record(z.string(), z.unknown())), refusal: z.null() })
					.nullable()
					.meta({ description: 'One entry per token, as the model reported it.' }),
				finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']),
			}),
		),
		usage: z.object({
			prompt_tokens: z.int(),
			completion_tokens: z.int(),
			total_tokens: z.int(),
			prompt_tokens_details: z.object({ cached_tokens: z.int(), audio_tokens: z.int() }),
			completion_tokens_details: z.object({
				reasoning_tokens: z.int(),
				audio_tokens: z.int(),
				accepted_prediction_tokens: z.int(),
				rejected_prediction_tokens: z.int(),
			}),
		}),
		warnings: z.array(z.string()).optional().meta({
			description: 'An extension: options that could not be honoured, and content that was left out.',
		}),
	})
	.meta({ id: 'ChatCompletion' });

/** The complete response as a value. */
export type ChatCompletion = z.input<typeof chatCompletion>;
