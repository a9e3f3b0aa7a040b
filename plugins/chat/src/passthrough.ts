import type { RawBody } from '@plinth/core';
import { parseUnchanged, type RequestFor } from '@plinth/toolkit';
import { checkAbilities } from './abilities.ts';
import type { ChatModel } from './model.ts';
import { type ChatBody, chatBody } from './request/fields.ts';
import { type ChatOptions, chatOptions } from './request/options.ts';
import { rawMessages } from './request/raw-messages.ts';

/**
 * What a model's upstream is sent when a request passes through: conversations of text alone, one answer, and only
 * members that are checked here, because others could cost the operator money or change the upstream. Throws the
 * translation's 400 errors.
 */
export function chatPassthrough(raw: RawBody): RequestFor<ChatModel> {
	let options: ChatOptions | undefined;
	let isChecked = false;
	return ({ model }) => {
		if (!model.forward) return undefined;
		// Once for all models that may answer.
		if (!isChecked) options = optionsOf(raw);
		isChecked = true;
		if (!options) return undefined;
		checkAbilities(model.abilities ?? {}, options);
		return model.forward(raw);
	};
}

/** Members that an upstream may get. */
const passed = new Set([
	'model',
	'messages',
	'stream',
	'stream_options',
	'temperature',
	'top_p',
	'presence_penalty',
	'frequency_penalty',
	'stop',
	'seed',
	'max_tokens',
	'max_completion_tokens',
	'tools',
	'tool_choice',
	'parallel_tool_calls',
	'response_format',
	'reasoning_effort',
	'user',
	'n',
]);

/** Undefined for a body that cannot be passed on. */
function optionsOf({ names, value }: RawBody): ChatOptions | undefined {
	if (!names.every((name) => passed.has(name)) || !isCoherent(names)) return undefined;
	const body = parseUnchanged(chatBody, value);
	return body && isPlain(body) && isText(body.messages) ? chatOptions(body) : undefined;
}

/** Upstreams refuse members that mean nothing without another one; the translation leaves them out. */
function isCoherent(names: readonly string[]): boolean {
	const has = (name: string) => names.includes(name);
	return (
		!(has('max_tokens') && has('max_completion_tokens')) &&
		(has('tools') || !(has('tool_choice') || has('parallel_tool_calls'))) &&
		(has('stream') || !has('stream_options'))
	);
}

function isPlain({ n, tools, stream, stream_options: streaming }: ChatBody): boolean {
	return n === 1 && tools?.length !== 0 && (stream || streaming === undefined);
}

function isText(messages: ChatBody['messages']): boolean {
	const isOlder = messages.some(
		(message) => message.role === 'function' || (message.role === 'assistant' && message.function_call),
	);
	if (isOlder) return false;
	return rawMessages(messages).every(
		(draft) => draft.role !== 'user' || draft.content.every(({ part }) => part.type === 'text'),
	);
}
