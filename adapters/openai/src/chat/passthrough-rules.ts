import type { RawBody } from '@plinth/core';
import { members } from '../upstream/complaint.ts';
import { knownMembers } from '../upstream/passthrough-hooks.ts';
import type { ChatDialect } from './dialects.ts';

/** Members that every server knows, and that say the same to each of them. */
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
/** A body has one of them at most. */
const tokenBounds = ['max_tokens', 'max_completion_tokens'];

/**
 * Which chat completions a dialect takes as clients write them. The plugin has checked that they are valid and hold
 * only text; here is what a translation would put in other words or leave out.
 */
export class ChatPassthroughRules {
	/** What else clients call the bound on the answer's tokens, and what the server calls it. */
	readonly renamed: readonly [from: string, to: string];
	readonly #dialect: ChatDialect;
	readonly #known: ReadonlySet<string>;
	readonly #messages: MessageRules;

	constructor(dialect: ChatDialect) {
		const { maxTokens, effort, passthrough } = dialect;
		this.renamed = [tokenBounds.find((each) => each !== maxTokens) ?? '', maxTokens];
		this.#dialect = dialect;
		this.#known = new Set([...common, ...tokenBounds, ...(effort ? ['reasoning_effort'] : [])]);
		this.#messages = passthrough === 'plain' ? plainMessages : allMessages;
	}

	/** How the answer should come; undefined for a request that must be translated. */
	formOf(raw: RawBody): 'whole' | 'events' | undefined {
		const body = knownMembers(raw, this.#known);
		if (!body) return undefined;
		const { messages, stop, stream = false } = body;
		const isTaken =
			typeof stream === 'boolean' &&
			!isEmptyList(stop) &&
			this.#takesTools(body) &&
			Array.isArray(messages) &&
			messages.every((each) => takesMessage(members(each), this.#messages));
		if (!isTaken) return undefined;
		return stream ? 'events' : 'whole';
	}

	/** Servers refuse options of tools without tools. */
	#takesTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Members): boolean {
		if (tools === undefined) return choice === undefined && parallel === undefined;
		return Array.isArray(tools) && tools.length > 0 && tools.every(isWholeTool) && this.#takesChoice(choice);
	}

	#takesChoice(choice: unknown): boolean {
		if (choice === undefined || choice === 'auto') return true;
		const { toolChoice } = this.#dialect;
		return typeof choice === 'string' ? toolChoice !== 'auto' : toolChoice === 'named';
	}
}

type Members = Readonly<Record<string, unknown>>;

/** What the messages of a conversation may be. */
interface MessageRules {
	readonly roles: ReadonlySet<string>;
	readonly members: ReadonlySet<string>;
	/** Whether a text can be a list of parts. */
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

function takesMessage(message: Members, rules: MessageRules): boolean {
	for (const name in message) {
		// Answers say null where there is no text and no refusal, and so may those who repeat them.
		const mayBeNull = name === 'content' || name === 'refusal';
		if (!rules.members.has(name) || (message[name] === null && !mayBeNull)) return false;
	}
	const { role, content = null, tool_calls: calls } = message;
	if (!rules.roles.has(role as string) || isEmptyList(calls)) return false;
	if (typeof content === 'string') return true;
	return content === null ? calls !== undefined : rules.parts;
}

/** Some servers ask for parameters even where a function has none. */
function isWholeTool(tool: unknown): boolean {
	const called = members(members(tool).function);
	for (const name in called) if (called[name] === null) return false;
	return called.parameters !== undefined;
}

function isEmptyList(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}
