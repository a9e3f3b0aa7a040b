import assert from 'node:assert/strict';

import { type Subject, silentLogger } from '@plinth/testing';
import type { ChatEvent, ChatModel, ChatRequest } from '../model.ts';
import { conversation } from './conversation.ts';

/** A new model, closed after the case. */
export interface ChatModelSubject extends Subject {
	readonly model: ChatModel;
}

/** How to create the model under test, and its promises beyond the contract. */
export interface ChatModelSuiteOptions {
	create(): Promise<ChatModelSubject>;
	readonly supports?: {
		/** Equal requests with equal seeds get equal answers. */
		readonly deterministic?: boolean;
		/** Whether it calls tools. Default: its abilities. When set, the abilities must agree. */
		readonly tools?: boolean;
		/** Whether it honours a `toolChoice` of `required` or of a name; true by default. */
		readonly requiredTools?: boolean;
		/** The JSON that it guarantees. Default: its abilities. When set, the abilities must agree. */
		readonly json?: 'none' | 'json' | 'schema';
	};
	/** The question, for models with a limited domain. An attached document states a total of 42 EUR. */
	readonly question?: string;
}

/** The reason of aborts. */
export const reason = new Error('The client disconnected.');

/** Maximum milliseconds that a model may take to stop after an abort. */
export const abortGraceMs = 1_000;

/** A complete answer. */
export interface Outcome {
	readonly events: readonly ChatEvent[];
	/** The joined text. */
	readonly text: string;
	readonly calls: readonly { readonly name: string; readonly arguments: string }[];
	readonly finish: Extract<ChatEvent, { type: 'finish' }> | undefined;
}

/** One call of the model under test. */
export interface Attempt {
	readonly iterator: AsyncIterator<ChatEvent>;
	abort(): void;
}

/** The changes of a case to a call. */
export interface AttemptOptions {
	readonly request?: Partial<ChatRequest>;
	readonly seed?: number;
	/** Aborts before the model is called. */
	readonly isAborted?: boolean;
}

/** Calls models as the plugin does. */
export class Caller {
	readonly #question: string;

	constructor({ question = 'What is the total?' }: ChatModelSuiteOptions) {
		this.#question = question;
	}

	/** Calls the model without reading the answer. */
	attempt(model: ChatModel, part: AttemptOptions = {}): Attempt {
		const stop = new AbortController();
		if (part.isAborted) stop.abort(reason);
		const run = { signal: stop.signal, seed: part.seed ?? 7, log: silentLogger() };
		const request = { ...conversation(this.#question), ...part.request };
		const events = model.stream(request, run);
		return { iterator: events[Symbol.asyncIterator](), abort: () => stop.abort(reason) };
	}

	/** A complete answer, whose form is checked. */
	async answer(model: ChatModel, part: AttemptOptions = {}): Promise<Outcome> {
		const { iterator } = this.attempt(model, part);
		const events: ChatEvent[] = [];
		for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
			events.push(step.value);
			assert(events.length < 1_000_000, 'the answer does not end');
		}
		return outcomeOf(events);
	}
}

function outcomeOf(events: readonly ChatEvent[]): Outcome {
	const finishes = events.filter((event) => event.type === 'finish');
	assert(finishes.length <= 1, `the answer ended ${finishes.length} times`);
	if (finishes.length === 1) assert.equal(events.at(-1), finishes[0], 'events follow the finish event');
	const texts = events.map((event) => {
		if (event.type === 'tool_call' || event.type === 'finish') return '';
		const text = event.type === 'warning' ? event.message : event.text;
		assert.equal(typeof text, 'string', `an event of type ${event.type} has no text`);
		return event.type === 'text' ? event.text : '';
	});
	return { events, text: texts.join(''), calls: callsOf(events), finish: finishes[0] };
}

function callsOf(events: readonly ChatEvent[]): Outcome['calls'] {
	const calls = new Map<number, { readonly name: string; arguments: string }>();
	for (const event of events) {
		if (event.type !== 'tool_call') continue;
		const call = calls.get(event.index);
		if (call) {
			call.arguments += event.arguments ?? '';
			continue;
		}
		assert.equal(event.index, calls.size, 'the indexes of the calls do not start at 0');
		assert(event.id, 'the first event of a call has no id');
		assert(event.name, 'the first event of a call has no name');
		calls.set(event.index, { name: event.name, arguments: event.arguments ?? '' });
	}
	return [...calls.values()];
}
