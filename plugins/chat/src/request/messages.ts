import { z } from 'zod';
import { assistantContent, textContent, userContent } from './parts.ts';

/** The name of a tool. */
export const toolName = z.string().regex(/^[a-zA-Z0-9_.-]{1,64}$/);
const name = z.string().max(256).nullish();

const system = z.object({ role: z.literal('system'), content: textContent, name });
const developer = z.object({ role: z.literal('developer'), content: textContent, name });
const user = z.object({ role: z.literal('user'), content: userContent, name });

const calledFunction = z.object({ name: toolName, arguments: z.string() });

const assistant = z.object({
	role: z.literal('assistant'),
	content: assistantContent.nullish(),
	refusal: z.string().nullish(),
	name,
	tool_calls: z
		.array(
			z.object({
				id: z.string().min(1).max(256),
				type: z.literal('function'),
				function: calledFunction,
			}),
		)
		.max(128)
		.nullish(),
	function_call: calledFunction.nullish().meta({ description: 'The older spelling of one tool call.' }),
});

const tool = z.object({
	role: z.literal('tool'),
	content: textContent,
	tool_call_id: z.string().min(1).max(256),
	name,
});

const legacyFunction = z.object({
	role: z.literal('function'),
	content: textContent.nullable(),
	name: toolName,
});

/** One message of any role. */
export const message = z
	.discriminatedUnion('role', [system, developer, user, assistant, tool, legacyFunction])
	.meta({ id: 'ChatMessage' });

/** A message of the request body. */
export type SentMessage = z.output<typeof message>;
