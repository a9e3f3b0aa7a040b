import fc from 'fast-check';
import type { Facts } from './facts.ts';

const chat = 'POST /v1/chat/completions';

interface Part {
	readonly type: string;
	readonly file?: Readonly<Record<'file_data' | 'file_id' | 'file_url', unknown>>;
}

interface Message {
	readonly role: string;
	readonly content?: unknown;
	readonly refusal?: string | null;
	readonly tool_calls?: readonly { readonly id: string }[] | null;
	readonly function_call?: { readonly name: string } | null;
	readonly tool_call_id?: string;
}

interface Named {
	readonly name: string;
}

interface Body {
	readonly messages: readonly Message[];
	readonly tools?: readonly { readonly type: string; readonly function?: Named }[];
	readonly functions?: readonly Named[];
	readonly tool_choice?: string | { readonly function: Named };
	readonly function_call?: string | Named;
	readonly modalities?: readonly string[];
	readonly logprobs?: boolean;
	readonly top_logprobs?: number;
}

const documents = ['data:text/plain;base64,SGVsbG8=', 'data:,Hello', 'SGVsbG8', 'SGVs\nbG8='];

// Common values are frequent: most requests would fail for a tool choice that names no tool.
const names = ['now', 'get_weather'];
const nameFields = [
	'tools.function.name',
	'functions.name',
	'tool_choice.function.name',
	'function_call.name',
	'messages.name',
	'messages.tool_calls.function.name',
	'messages.function_call.name',
	'response_format.json_schema.name',
];

/**
 * Facts of the model `echo-1`, which accepts no audio, and rules between the members of a conversation. `ids` are files
 * with text.
 */
export function chatFacts(pictures: readonly string[], ids: readonly string[]) {
	return {
		known: {
			[`${chat} model`]: ['echo-1'],
			[`${chat} messages.content.image_url.url`]: [...pictures, 'https://example.org/a.png'],
			[`${chat} messages.content.file.file_data`]: documents,
			[`${chat} messages.content.file.file_id`]: ids,
		},
		usual: Object.fromEntries(nameFields.map((field) => [`${chat} ${field}`, names])),
		combinations: { [chat]: talks },
		bodyRules: { [chat]: (body) => fitsTogether(withoutNulls(body)) },
	} satisfies Partial<Facts>;
}

/** The built-in model reads attached files. */
const talks = fc.record(
	{
		model: fc.constant('builtin-chat'),
		messages: fc
			.tuple(
				fc.constantFrom('What is this?', 'Hello', 'Summarise it.', 'a\u0000b', '漢字 🌊?'),
				fc.constantFrom(...documents),
			)
			.map(([text, file_data]) => [
				{
					role: 'user',
					content: [
						{ type: 'text', text },
						{ type: 'file', file: { file_data } },
					],
				},
			]),
		stream: fc.boolean(),
		n: fc.constantFrom(1, 2, 8),
		max_tokens: fc.constantFrom(1, 5, 1_000),
		seed: fc.nat(),
	},
	{ requiredKeys: ['model', 'messages'] },
);

function withoutNulls(body: object): Body {
	return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as unknown as Body;
}

function fitsTogether(body: Body): boolean {
	const { tools, functions, modalities = [], logprobs, top_logprobs: alternatives } = body;
	if (alternatives !== undefined && !logprobs) return false;
	if (tools && functions) return false;
	if (tools?.some(({ type }) => type !== 'function')) return false;
	if (modalities.some((name) => name !== 'text')) return false;
	const names = [...(tools ?? []).map((tool) => tool.function), ...(functions ?? [])].map((tool) => tool?.name);
	return isChoice(body, names) && areTurns(body.messages);
}

function isChoice(body: Body, names: readonly (string | undefined)[]): boolean {
	const { functions, function_call: legacy, tool_choice: choice } = body;
	if (functions && typeof legacy === 'string') return true;
	if (functions && legacy && typeof legacy === 'object') return names.includes(legacy.name);
	if (choice && typeof choice === 'object') return names.includes(choice.function.name);
	return choice !== 'required' || names.length > 0;
}

function areTurns(messages: readonly Message[]): boolean {
	const ids = new Set<string>();
	return messages.every((message) => {
		const { role, content, refusal, tool_calls: calls, function_call: legacy } = message;
		if (role === 'tool') return ids.has(message.tool_call_id ?? '');
		if (role === 'user') return Array.isArray(content) ? content.every(isReadable) : true;
		if (role !== 'assistant') return true;
		for (const { id } of calls ?? []) ids.add(id);
		if (legacy) ids.add(`call_${legacy.name}`);
		const isEmpty = (content ?? undefined) === undefined && (refusal ?? undefined) === undefined;
		const refuses = Array.isArray(content) && content.length > 0;
		return !isEmpty || refuses || (calls?.length ?? 0) > 0 || Boolean(legacy);
	});
}

function isReadable({ type, file }: Part): boolean {
	if (type === 'input_audio') return false;
	if (!file) return true;
	const { file_data: data, file_id: id, file_url: url } = file;
	const hasId = (id ?? undefined) !== undefined;
	return Boolean(data) !== hasId && (url ?? undefined) === undefined;
}
