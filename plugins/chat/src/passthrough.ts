import type { RawBody } from '@plinth/core';
import { parseUnchanged, type RequestFor } from '@plinth/toolkit';
import { checkAbilities } from './abilities.ts';
import type { ChatAbilities, ChatModel } from './model.ts';
import { type ChatBody, chatBody } from './request/fields.ts';
import { type ChatOptions, chatOptions } from './request/options.ts';
import { rawMessages } from './request/raw-messages.ts';

/**
 * The request for a model's upstream when a body passes through: conversations of text alone, one answer, and only
 * members that are checked here or that the model's abilities name. Other members could cost the operator money or
 * change the upstream. Throws the translation's 400 errors.
 */
export function chatPassthrough(raw: RawBody): RequestFor<ChatModel> {
	let options: ChatOptions | undefined;
	let isChecked = false;
	return ({ model }) => {
		if (!model.forward || !raw.names.every((name) => isForwarded(name, model.abilities ?? {}))) return undefined;
		// Once for all models of the pool.
		if (!isChecked) options = optionsOf(raw);
		isChecked = true;
		if (!options) return undefined;
		const lengthName = raw.names.find((name) => name === 'max_tokens' || name === 'max_completion_tokens');
		checkAbilities(model.abilities ?? {}, options, lengthName);
		return model.forward(raw);
	};
}

function isForwarded(name: string, { logprobs = false, extra = [] }: ChatAbilities): boolean {
	if (name === 'logprobs' || name === 'top_logprobs') return logprobs;
	return forwarded.has(name) || (extra.includes(name) && !Object.hasOwn(chatBody.shape, name));
}

/** Members that the upstream of every model may get. */
const forwarded = new Set([
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

/** Undefined for a body that must be translated. */
function optionsOf({ names, value }: RawBody): ChatOptions | undefined {
	if (!isCoherent(names)) return undefined;
	const body = parseUnchanged(chatBody, value);
	return body && isPlain(body) && isText(body.messages) ? chatOptions(body) : undefined;
}

/** False if a member depends on an absent one. Upstreams refuse such bodies; the translation drops the member. */
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
	const hasLegacyCalls = messages.some(
		(message) => message.role === 'function' || (message.role === 'assistant' && message.function_call),
	);
	if (hasLegacyCalls) return false;
	return rawMessages(messages).every(
		(draft) => draft.role !== 'user' || draft.content.every(({ part }) => part.type === 'text'),
	);
}
