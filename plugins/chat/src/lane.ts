import type { BoundModel, ForwardRequest, RawBody } from '@plinth/core';
import { parseUnchanged } from '@plinth/toolkit';
import { checkAbilities } from './abilities.ts';
import type { ChatModel } from './model.ts';
import { type ChatBody, chatBody } from './request/fields.ts';
import { chatOptions } from './request/options.ts';
import { rawMessages } from './request/raw-messages.ts';

/**
 * The lanes of one request: what a model's upstream can be given as it came, because nothing has to be read, made or cut for it. Conversations of text alone, one answer, and only members that are
 * checked here: others could cost the operator money, or change the upstream. Throws 400 errors where the ordinary way does.
 */
export function chatLanes(
	raw: RawBody,
): (bound: BoundModel<ChatModel>) => ForwardRequest | undefined {
	let isFor: ((model: ChatModel) => boolean) | undefined;
	return ({ model }) => {
		if (!model.forward) return undefined;
		isFor ??= conditionOf(raw);
		return isFor(model) ? model.forward(raw) : undefined;
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

const nobody = () => false;

/** For which models a body can be passed on. Looked at once for all of them. */
function conditionOf(raw: RawBody): (model: ChatModel) => boolean {
	const { names, value } = raw;
	if (!names.every((name) => passed.has(name)) || !isCoherent(names)) return nobody;
	return value ? conditionOfParsed(value) : conditionOfLong(raw);
}

/** Upstreams refuse members that mean nothing without another one; the ordinary way leaves them out. */
function isCoherent(names: readonly string[]): boolean {
	const has = (name: string) => names.includes(name);
	return (
		!(has('max_tokens') && has('max_completion_tokens')) &&
		(has('tools') || !(has('tool_choice') || has('parallel_tool_calls'))) &&
		(has('stream') || !has('stream_options'))
	);
}

function conditionOfParsed(value: object): (model: ChatModel) => boolean {
	const body = parseUnchanged(chatBody, value);
	if (!body || !isPlain(body) || !isText(body.messages)) return nobody;
	const wish = chatOptions(body);
	return ({ abilities = {} }) => {
		checkAbilities(abilities, wish);
		return true;
	};
}

function isPlain({ n, tools, stream, stream_options: streaming }: ChatBody): boolean {
	return n === 1 && tools?.length !== 0 && (stream || streaming === undefined);
}

function isText(messages: ChatBody['messages']): boolean {
	const isOlder = messages.some(
		(message) =>
			message.role === 'function' || (message.role === 'assistant' && message.function_call),
	);
	if (isOlder) return false;
	return rawMessages(messages).every(
		(draft) => draft.role !== 'user' || draft.content.every(({ part }) => part.type === 'text'),
	);
}

/** Long bodies are not parsed: what cannot be told from their names has no lane. */
function conditionOfLong(raw: RawBody): (model: ChatModel) => boolean {
	const has = (name: string) => raw.names.includes(name);
	if (has('n') || raw.mentions(beyondText)) return nobody;
	return ({ abilities: { tools = true, json = 'schema' } = {} }) =>
		(tools || !has('tools')) && (json === 'schema' || !has('response_format'));
}

/** What stands for more than text, in any spelling that upstreams know, or for what they would take as an order. */
const beyondText = [
	'image_url',
	'input_image',
	'image',
	'input_audio',
	'audio_url',
	'audio',
	'video_url',
	'video',
	'input_file',
	'file',
	'document',
	'function_call',
	'cache_control',
];
