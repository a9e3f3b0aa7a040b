import type { ChatPart, ChatRequest, DocumentPart } from '@plinth/plugin-chat/model';

/** A result of a tool. */
export interface ToolResult {
	readonly name: string;
	readonly text: string;
}

/** The input of an answer. */
export interface Conversation {
	/** The documents of all turns. */
	readonly documents: readonly DocumentPart[];
	/** The text of the last user message. */
	readonly question: string;
	/** Results of tools after that message. */
	readonly results: readonly ToolResult[];
}

/** Maximum characters that are read of a message, from its end. */
const maxQuestion = 200_000;
/** The start of the note that replaces a picture. */
const pictureNote = '[A picture is attached';

/** Reads a request. */
export function readConversation({ messages }: ChatRequest): Conversation {
	const parts = messages.flatMap((message) => (message.role === 'user' ? message.content : []));
	const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
	const names = new Map(calls.map(({ id, name }) => [id, name]));
	const question = messages.findLast((message) => message.role === 'user')?.content ?? [];
	const last = messages.findLastIndex((message) => message.role !== 'tool');
	const results = messages
		.slice(last + 1)
		.flatMap((message) => (message.role === 'tool' ? { ...message, text: textOf(message.content) } : []));
	return {
		documents: parts.filter((part) => part.type === 'document'),
		question: textOf(question).slice(-maxQuestion),
		results: results.map(({ callId, text }) => ({ name: names.get(callId) ?? 'The tool', text })),
	};
}

function textOf(parts: readonly ChatPart[]): string {
	const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
	return texts.filter((text) => !text.startsWith(pictureNote)).join('\n');
}
