import type { RawBody } from '@plinth/core';
import { knownMembers } from '../upstream/passthrough-hooks.ts';
import { members } from '../upstream/reported-error.ts';
import type { ChatDialect } from './dialects.ts';

/** Members that every server supports with the same meaning. */
const common = [
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
	'response_format',
	'user',
	'n',
	'tools',
	'tool_choice',
	'parallel_tool_calls',
];
/** A body has at most one of these. */
const tokenLimits = ['max_tokens', 'max_completion_tokens'];

/**
 * Decides which chat completions a server of a dialect accepts unchanged. The plugin has checked that the body is valid
 * and has only text. These rules exclude what a translation would change or leave out.
 */
export class ChatPassthroughRules {
	/** The other name of the token limit, and the name that the server supports. */
	readonly renamed: readonly [from: string, to: string];
	readonly #dialect: ChatDialect;
	readonly #known: ReadonlySet<string>;
	readonly #messages: MessageRules;

	/** `extra`: names of further members that the server accepts. */
	constructor(dialect: ChatDialect, extra: readonly string[]) {
		const { maxTokens, effort, logprobs, passthrough } = dialect;
		this.renamed = [tokenLimits.find((each) => each !== maxTokens) ?? '', maxTokens];
		this.#dialect = dialect;
		this.#known = new Set([
			...common,
			...tokenLimits,
			...(effort ? ['reasoning_effort'] : []),
			...(logprobs ? ['logprobs', 'top_logprobs'] : []),
			...extra,
		]);
		this.#messages = passthrough === 'plain' ? plainMessages : allMessages;
	}

	/** The form of the response; undefined for a request that must be translated. */
	formOf(raw: RawBody): 'whole' | 'events' | undefined {
		const body = knownMembers(raw, this.#known);
		if (!body) return undefined;
		const { messages, stop, stream = false } = body;
		const isAccepted =
			typeof stream === 'boolean' &&
			!isEmptyList(stop) &&
			this.#acceptsTools(body) &&
			Array.isArray(messages) &&
			messages.every((each) => acceptsMessage(members(each), this.#messages));
		if (!isAccepted) return undefined;
		return stream ? 'events' : 'whole';
	}

	/** Servers refuse tool options without tools. */
	#acceptsTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Members): boolean {
		if (tools === undefined) return choice === undefined && parallel === undefined;
		return Array.isArray(tools) && tools.length > 0 && tools.every(isCompleteTool) && this.#acceptsChoice(choice);
	}

	#acceptsChoice(choice: unknown): boolean {
		if (choice === undefined || choice === 'auto') return true;
		const { toolChoice } = this.#dialect;
		return typeof choice === 'string' ? toolChoice !== 'auto' : toolChoice === 'named';
	}
}

type Members = Readonly<Record<string, unknown>>;

/** What messages may contain. */
interface MessageRules {
	readonly roles: ReadonlySet<string>;
	readonly members: ReadonlySet<string>;
	/** Whether content can be a list of parts. */
	readonly parts: boolean;
}

const plainMessages: MessageRules = {
	roles: new Set(['system', 'user', 'assistant', 'tool']),
	members: new Set(['role', 'content', 'name', 'tool_calls', 'tool_call_id']),
	parts: false,
};

const allMessages: MessageRules = {
	roles: new Set([...plainMessages.roles, 'developer']),
	members: new Set([...plainMessages.members, 'refusal']),
	parts: true,
};

function acceptsMessage(message: Members, rules: MessageRules): boolean {
	for (const name in message) {
		// Answers have null for absent content and an absent refusal. Clients repeat these answers in their requests.
		const mayBeNull = name === 'content' || name === 'refusal';
		if (!rules.members.has(name) || (message[name] === null && !mayBeNull)) return false;
	}
	const { role, content = null, tool_calls: calls } = message;
	if (!rules.roles.has(role as string) || isEmptyList(calls)) return false;
	if (typeof content === 'string') return true;
	return content === null ? calls !== undefined : rules.parts;
}

/** Some servers require `parameters` also for a function without any. */
function isCompleteTool(tool: unknown): boolean {
	const called = members(members(tool).function);
	for (const name in called) if (called[name] === null) return false;
	return called.parameters !== undefined;
}

function isEmptyList(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}
