import type { RawBody } from '@plinth/core';
import { members } from '../upstream/complaint.ts';
import { unchangedMembers } from '../upstream/passthrough-rules.ts';
import type { ChatDialect } from './dialects.ts';

/** How a request that a server can be given as it is wants its answer. */
export type AnswerForm = 'whole' | 'events';

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
];
/** A body has one of them at most. */
const tokenBounds = ['max_tokens', 'max_completion_tokens'];
const toolMembers = ['tools', 'tool_choice', 'parallel_tool_calls'];

/** Members of messages, and of their parts, that make more of a long body than plain talk, or that clients repeat out of answers. */
const remarkable = [
	'annotations',
	'audio',
	'cache_control',
	'function_call',
	'reasoning',
	'reasoning_content',
	'refusal',
	'tool_call_id',
	'tool_calls',
];

/**
 * Says which chat completions a dialect takes as clients write them. The plugin has seen to it that they are good ones and hold nothing but text. What is left is what
 * a translation would put in other words or leave out.
 */
export class ChatPassthroughRules {
	/** What else clients call the bound on the answer's tokens, and what the server calls it. */
	readonly renamed: readonly [from: string, to: string];
	readonly #dialect: ChatDialect;
	readonly #known: ReadonlySet<string>;
	readonly #knownUnread: ReadonlySet<string>;
	readonly #remarkable: readonly string[];
	readonly #messages: MessageRules;

	constructor(dialect: ChatDialect) {
		const talk = [...common, ...tokenBounds, ...(dialect.effort ? ['reasoning_effort'] : [])];
		const isPlain = dialect.asWritten === 'plain';
		this.renamed = [
			tokenBounds.find((each) => each !== dialect.maxTokens) ?? '',
			dialect.maxTokens,
		];
		this.#dialect = dialect;
		this.#known = new Set([...talk, ...toolMembers]);
		this.#knownUnread = new Set(talk);
		this.#remarkable = isPlain ? [...remarkable, 'text'] : remarkable;
		this.#messages = isPlain ? plainMessages : allMessages;
	}

	/** How the answer is to come; undefined for a request that must be translated. */
	formOf(raw: RawBody): AnswerForm | undefined {
		const stream = raw.value ? this.#streamOf(raw) : this.#streamOfUnread(raw);
		if (stream === undefined) return undefined;
		return stream ? 'events' : 'whole';
	}

	#streamOf(raw: RawBody): boolean | undefined {
		const body = unchangedMembers(raw, this.#known);
		if (!body) return undefined;
		const { messages, stop, stream = false } = body;
		const isTaken =
			!isEmptyList(stop) &&
			this.#takesTools(body) &&
			Array.isArray(messages) &&
			messages.every((each) => takesMessage(members(each), this.#messages));
		return isTaken && typeof stream === 'boolean' ? stream : undefined;
	}

	/** Servers refuse words about tools where there are none. */
	#takesTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Members): boolean {
		if (tools === undefined) return choice === undefined && parallel === undefined;
		return (
			Array.isArray(tools) &&
			tools.length > 0 &&
			tools.every(isWholeTool) &&
			this.#takesChoice(choice)
		);
	}

	#takesChoice(choice: unknown): boolean {
		if (choice === undefined || choice === 'auto') return true;
		const { toolChoice } = this.#dialect;
		return typeof choice === 'string' ? toolChoice !== 'auto' : toolChoice === 'named';
	}

	/** Where nobody has read the body, only what is plain talk for certain goes through. */
	#streamOfUnread(raw: RawBody): boolean | undefined {
		const { bytes, names } = raw;
		if (!names.every((name) => this.#knownUnread.has(name))) return undefined;
		// A text may say this too, and is then translated for nothing.
		if (['null', '"developer"', '"function"'].some((word) => bytes.includes(word)))
			return undefined;
		if (raw.mentions(this.#remarkable)) return undefined;
		return names.includes('stream') ? streamIn(bytes) : false;
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

const streamName = '"stream"';

/** What a body says of `stream`; undefined where the word stands in more than one place, or is written in another way. */
function streamIn(bytes: Buffer): boolean | undefined {
	const at = bytes.indexOf(streamName);
	const after = at + streamName.length;
	if (at < 0 || bytes.includes(streamName, after)) return undefined;
	const found = /^\s*:\s*(true|false)\b/.exec(bytes.toString('latin1', after, after + 64));
	return found ? found[1] === 'true' : undefined;
}
