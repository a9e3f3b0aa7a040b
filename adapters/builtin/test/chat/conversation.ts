import type { ChatEvent, ChatMessage, ChatPart, ChatRequest, DocumentPart } from '@plinth/plugin-chat/model';
import { createModel, silentLogger } from '@plinth/testing';
import { builtinChat } from '../../src/chat/model.ts';

const log = silentLogger();

/** The model, created by the kernel. */
export const { model } = await createModel(builtinChat());

/** The collected events of an answer. */
export interface Outcome {
	readonly text: string;
	readonly events: readonly ChatEvent[];
	readonly warnings: readonly string[];
	readonly reason: string | undefined;
	readonly calls: readonly {
		readonly id: string;
		readonly name: string;
		readonly arguments: string;
	}[];
}

type Options = Partial<ChatRequest> & { readonly seed?: number; readonly signal?: AbortSignal };

/** Asks about documents. */
export function ask(question: string, documents: readonly DocumentPart[] = [], options: Options = {}) {
	return talk([user(question, ...documents)], options);
}

/** Sends a whole conversation. */
export async function talk(messages: readonly ChatMessage[], options: Options = {}): Promise<Outcome> {
	const { seed = 1, signal = new AbortController().signal, ...more } = options;
	const request: ChatRequest = {
		messages,
		tools: [],
		toolChoice: 'auto',
		parallelToolCalls: true,
		format: { type: 'text' },
		stop: [],
		...more,
	};
	const events: ChatEvent[] = [];
	for await (const event of model.stream(request, { signal, seed, log })) events.push(event);
	const finish = events.find((event) => event.type === 'finish');
	return {
		events,
		text: events.map((event) => (event.type === 'text' ? event.text : '')).join(''),
		warnings: events.flatMap((event) => (event.type === 'warning' ? [event.message] : [])),
		reason: finish?.type === 'finish' ? finish.reason : undefined,
		calls: callsIn(events),
	};
}

/** A message of the user. */
export function user(text: string, ...documents: readonly DocumentPart[]): ChatMessage {
	const words: readonly ChatPart[] = text === '' ? [] : [{ type: 'text', text }];
	return { role: 'user', content: [...documents, ...words] };
}

/** A message of the assistant. */
export function assistant(text: string): ChatMessage {
	return { role: 'assistant', content: [{ type: 'text', text }], toolCalls: [] };
}

/** A document with pages, as the chat plugin passes it to a model. */
export function pdf(filename: string, ...pages: readonly string[]): DocumentPart {
	return {
		type: 'document',
		filename,
		mediaType: 'application/pdf',
		text: pages.join('\n'),
		pages: pages.map((text, at) => ({ page: at + 1, text })),
		hasPages: true,
		pageCount: pages.length,
		isTruncated: false,
	};
}

/** A document without pages. */
export function note(filename: string, text: string): DocumentPart {
	return { ...pdf(filename, text), mediaType: 'text/plain', hasPages: false };
}

function callsIn(events: readonly ChatEvent[]) {
	const calls: { id: string; name: string; arguments: string }[] = [];
	for (const event of events) {
		if (event.type !== 'tool_call') continue;
		const call = calls[event.index] ?? {
			id: event.id ?? '',
			name: event.name ?? '',
			arguments: '',
		};
		call.arguments += event.arguments ?? '';
		calls[event.index] = call;
	}
	return calls;
}

const guide = [
	`                         Harbour Lighthouse
                           Visitor Guide

History

The lighthouse was built in 1874 by the engineer Clara Whitcombe. Its lamp stands 41 metres above
the sea. Until 1962 a keeper lived in the tower with his family. The first electric lamp was in-
stalled on 3 March 1921.

Opening hours

The tower opens daily at 10:00 a.m. and closes at 6:00 p.m. between April and October. Dogs are not
allowed in the tower.`,
	`Tickets

Visitor            Weekday     Weekend
Adult                $8.50      $11.00
Child                $4.00       $5.50
Family              $19.90      $26.00

Tickets are sold at the gate. Groups of more than twelve people get a discount of 15%.

Contact

Write to visits@harbourlight.example or call +44 1632 960 123. The warden is Oliver Brandt.`,
	`Safety

The following rules apply in the tower:

  •   Hold the handrail on the stairs.
  •   Do not lean over the gallery.
  •   Leave the tower when the horn sounds.

The gallery is closed when the wind is stronger than 60 km/h. Children under 6 must be accompanied
by an adult.`,
];

/** A document of three pages, with paragraphs, a table and a list. */
export const lighthouse = pdf('lighthouse.pdf', ...guide);
