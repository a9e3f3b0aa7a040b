import type { ChatMessage, ChatPart, ChatRequest, TextPart } from '@plinth/plugin-chat/model';
import type { Source } from './library/portions.ts';

/** What a tool has answered, as text. */
export interface ToolResult {
	readonly name: string;
	readonly text: string;
}

/** What a conversation comes to. */
export interface Talk {
	/** Every document of every turn, each once, oldest first. */
	readonly sources: readonly Source[];
	/** What the user says last; empty when only documents came. */
	readonly question: string;
	/** All that the user says last, pasted passages included. */
	readonly words: string;
	/** What the user said before, oldest first. */
	readonly earlier: readonly string[];
	/** What tools answered since the user spoke: the conversation ends with them. */
	readonly results: readonly ToolResult[];
	/** The last turn came with a picture. */
	readonly hasPicture: boolean;
	/** Words ask for JSON, although the request's format does not. */
	readonly wantsJson: boolean;
}

/** Pasted texts from this length on are documents. */
const pastedFrom = 500;
const pictureNote = /^[[(<][^\n]{0,400}\b(?:picture|image)s?\b[^\n]{0,400}[\])>]$/i;
const jsonWish =
	/\b(?:answer|respond|reply|return|output|give|write|format)\b[^.\n]{0,40}\b(?:in|as|valid|only|a|with)\b[^.\n]{0,12}\bjson\b|\b(?:in|as) (?:valid |a )?json(?: format| object)?[.!]?$/im;

/** Reads a conversation: documents of all turns, the last question and those before. */
export function readTalk({ messages }: ChatRequest): Talk {
	const said: string[] = [];
	const sources: Source[] = [];
	let hasPicture = false;
	let words = '';
	for (const message of messages) {
		if (message.role !== 'user') continue;
		addDocuments(sources, message.content);
		const texts = message.content.filter(isText).map((part) => part.text);
		hasPicture = texts.some((text) => pictureNote.test(text.trim()));
		words = texts
			.filter((text) => !pictureNote.test(text.trim()))
			.join('\n')
			.trim();
		const { question, passage } = partOf(words, sources.length > 0);
		if (passage) addSource(sources, pastedText(passage));
		said.push(question);
	}
	const wishes = [...systemWords(messages), said.at(-1) ?? ''];
	return {
		words,
		sources,
		question: said.at(-1) ?? '',
		earlier: said.slice(0, -1),
		results: resultsOf(messages),
		hasPicture,
		wantsJson: wishes.some((text) => jsonWish.test(text)),
	};
}

function isText(part: ChatPart): part is TextPart {
	return part.type === 'text';
}

function systemWords(messages: readonly ChatMessage[]): readonly string[] {
	return messages.flatMap((message) => (message.role === 'system' ? message.content.map((part) => part.text) : []));
}

function addDocuments(sources: Source[], parts: readonly ChatPart[]): void {
	for (const part of parts) {
		if (part.type !== 'document') continue;
		const { filename, pages, hasPages, pageCount } = part;
		addSource(sources, { filename, pages, hasPages, pageCount });
	}
}

/** Clients send the whole conversation again: a document that is there already is the same one. */
function addSource(sources: Source[], source: Source): void {
	const isKnown = sources.some(
		(known) =>
			known.filename === source.filename &&
			known.pages.length === source.pages.length &&
			known.pages.every((page, at) => page.text === source.pages[at]?.text),
	);
	if (!isKnown) sources.push(source);
}

function pastedText(text: string): Source {
	return { filename: 'your message', pages: [{ page: 1, text }], hasPages: false, pageCount: 1 };
}

/** Parts a long message into the question and the passage that it is about. */
function partOf(text: string, hasDocuments: boolean): { readonly question: string; readonly passage?: string } {
	if (text.length < (hasDocuments ? pastedFrom * 4 : pastedFrom)) return { question: text };
	const named = /^(?:question|query|q|task)\s*:\s*(.+)$/im.exec(text);
	if (named?.[1]) return { question: named[1].trim(), passage: text.replace(named[0], '').trim() };
	const parts = text.split(/\n\s*\n|\n(?=[^\n]*$)|(?<=^[^\n]{3,200}[:?])\s/).map((part) => part.trim());
	const [first = '', last = ''] = [parts[0], parts.at(-1)];
	const isAsked = (part: string) =>
		part.length < 300 && parts.length > 1 && /[?:]$|^\w+ (?:this|the|these|all)\b/i.test(part);
	if (isAsked(last) && !last.endsWith(':'))
		return { question: last, passage: text.slice(0, text.lastIndexOf(last)).trim() };
	if (isAsked(first)) return { question: first.replace(/:$/, ''), passage: text.slice(first.length).trim() };
	return { question: '', passage: text };
}

function resultsOf(messages: readonly ChatMessage[]): readonly ToolResult[] {
	const names = new Map<string, string>();
	for (const message of messages)
		if (message.role === 'assistant') for (const call of message.toolCalls) names.set(call.id, call.name);
	const last = messages.findLastIndex((message) => message.role !== 'tool');
	return messages.slice(last + 1).flatMap((message) =>
		message.role === 'tool'
			? [
					{
						name: names.get(message.callId) ?? 'the tool',
						text: message.content.map((part) => part.text).join('\n'),
					},
				]
			: [],
	);
}
