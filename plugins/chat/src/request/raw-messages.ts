import { invalidValue, plinthError } from '@plinth/core';
import type { ChatMessage, TextPart, ToolCall } from '../model.ts';
import type { SentMessage } from './messages.ts';
import type { SentPart } from './parts.ts';

/** A part of a user message and its parameter: `messages[1].content[0]`. */
export interface RawPart {
	readonly part: SentPart;
	readonly param: string;
}

/** A message whose parts are not read yet. */
export type RawMessage =
	| Exclude<ChatMessage, { role: 'user' }>
	| { readonly role: 'user'; readonly name?: string; readonly content: readonly RawPart[] };

/** The messages of a request. Throws 400 errors for inconsistent sequences. */
export function rawMessages(sent: readonly SentMessage[]): readonly RawMessage[] {
	const callIds = new Set<string>();
	return sent.map((message, index) => toRawMessage(message, `messages[${index}]`, callIds));
}

function toRawMessage(message: SentMessage, param: string, callIds: Set<string>): RawMessage {
	switch (message.role) {
		case 'system':
		case 'developer':
			return { role: 'system', content: textParts(message.content) };
		case 'user': {
			const { content, name } = message;
			const parts = typeof content === 'string' ? textParts(content) : content;
			const rawParts = parts.map((part, index) => ({ part, param: `${param}.content[${index}]` }));
			return { role: 'user', content: rawParts, ...(name ? { name } : {}) };
		}
		case 'assistant':
			return assistantOf(message, param, callIds);
		case 'tool': {
			const { tool_call_id: callId, content } = message;
			if (!callIds.has(callId)) {
				throw invalidValue(
					`${param}.tool_call_id`,
					`${param}.tool_call_id: no assistant message before it has a tool call with the id "${callId.slice(0, 64)}".`,
				);
			}
			return { role: 'tool', callId, content: textParts(content) };
		}
		case 'function':
			return {
				role: 'tool',
				callId: legacyId(message.name),
				content: textParts(message.content ?? ''),
			};
	}
}

function assistantOf(
	message: Extract<SentMessage, { role: 'assistant' }>,
	param: string,
	callIds: Set<string>,
): RawMessage {
	const { content, tool_calls: calls, function_call: legacy } = message;
	const toolCalls: ToolCall[] = (calls ?? []).map(({ id, function: called }) => ({
		id,
		...called,
	}));
	if (legacy) toolCalls.push({ id: legacyId(legacy.name), ...legacy });
	for (const { id } of toolCalls) callIds.add(id);
	const parts = typeof content === 'string' ? textParts(content) : (content ?? []);
	const refused = parts.flatMap((part) => (part.type === 'refusal' ? part.refusal : []));
	const refusal = message.refusal ?? (refused.length > 0 ? refused.join('\n') : undefined);
	if ((content ?? undefined) === undefined && toolCalls.length === 0 && refusal === undefined) {
		throw plinthError('E_VALUE_MISSING', {
			param: `${param}.content`,
			message: `${param}.content is required where there are no tool_calls.`,
		});
	}
	return {
		role: 'assistant',
		// An assistant message with only tool calls often has an empty text.
		content: parts.filter((part) => part.type === 'text' && part.text !== '') as TextPart[],
		toolCalls,
		...(refusal === undefined ? {} : { refusal }),
	};
}

function textParts(content: string | readonly TextPart[]): readonly TextPart[] {
	return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function legacyId(name: string): string {
	return `call_${name}`;
}
