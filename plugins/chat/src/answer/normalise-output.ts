import { abandon, modelError } from '@plinth/core';
import type { ChatEvent, ChatRequest, ChatUsage, FinishReason } from '../model.ts';
import { StopCutter } from './stop-cutter.ts';
import { ToolCalls, type ToolPiece } from './tool-calls.ts';
import { isUsage, promptTokens, tokensOf } from './usage.ts';

/** A piece of one answer after it was put in order. */
export type Piece =
	| Exclude<ChatEvent, { type: 'tool_call' | 'finish' }>
	| ToolPiece
	| { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: ChatUsage };

/**
 * Makes a model's answer what clients insist on: no empty pieces, well-formed tool calls, nothing from a stop sequence on, and one `finish` as the
 * last piece, with a reason that fits and a usage. Throws `E_MODEL_FAILED` for an answer without anything in it, and for events of no known form.
 */
export async function* normaliseOutput(
	events: AsyncIterable<ChatEvent>,
	request: ChatRequest,
): AsyncGenerator<Piece> {
	const answer = new Answer(request);
	const iterator = events[Symbol.asyncIterator]();
	try {
		while (!answer.isCut) {
			const step = await iterator.next();
			const event = step.done ? over : checked(step.value);
			if (event.type === 'finish') {
				yield* answer.end(event);
				return;
			}
			yield* answer.push(event);
		}
		yield* answer.end();
	} finally {
		// Not awaited, as `for await` would: the answer is over whether the model heeds it or not.
		abandon(iterator);
	}
}

/** Most different warnings of one answer; what a model says beyond is dropped. */
const mostWarnings = 32;

class Answer {
	readonly #request: ChatRequest;
	readonly #cutter: StopCutter;
	readonly #calls: ToolCalls;
	readonly #warnings = new Set<string>();
	/** UTF-16 units that were made: what a usage is estimated by. */
	#made = 0;
	#thought = 0;

	constructor(request: ChatRequest) {
		this.#request = request;
		this.#cutter = new StopCutter(request.stop);
		this.#calls = new ToolCalls(request);
	}

	get isCut(): boolean {
		return this.#cutter.isCut;
	}

	*push(event: Exclude<ChatEvent, { type: 'finish' }>): Generator<Piece> {
		switch (event.type) {
			case 'text':
				yield* this.#text(this.#cutter.push(event.text));
				break;
			case 'tool_call':
				yield* this.#call(event);
				break;
			case 'warning':
				if (this.#warnings.has(event.message) || this.#warnings.size === mostWarnings) break;
				this.#warnings.add(event.message);
				yield event;
				break;
			case 'reasoning':
			case 'refusal':
				if (event.text === '') break;
				this.#made += event.text.length;
				if (event.type === 'reasoning') this.#thought += event.text.length;
				yield event;
		}
	}

	*end(finish?: Extract<ChatEvent, { type: 'finish' }>): Generator<Piece> {
		yield* this.#text(this.#cutter.end());
		const reason = this.#reason(finish?.reason);
		// Arguments that a bound has cut are no JSON, and nobody's mistake.
		yield* this.#calls.end(reason === 'tool_calls');
		// A filter may leave nothing, and so may a bound; and what a stop sequence begins with is an answer that is empty.
		if (this.#made === 0 && reason === 'stop' && !this.isCut) {
			throw modelError('The model returned no answer.');
		}
		const usage = isUsage(finish?.usage) ? finish.usage : this.#estimate();
		yield { type: 'finish', reason, usage };
	}

	*#text(text: string): Generator<Piece> {
		if (text === '') return;
		this.#made += text.length;
		yield { type: 'text', text };
	}

	*#call(event: Extract<ChatEvent, { type: 'tool_call' }>): Generator<Piece> {
		const piece = this.#calls.push(event);
		if (!piece) return;
		this.#made += piece.arguments.length + (piece.begin?.name.length ?? 0);
		yield piece;
	}

	#reason(said: FinishReason | undefined): FinishReason {
		if (said === 'length' || said === 'content_filter') return said;
		return this.#calls.count > 0 ? 'tool_calls' : 'stop';
	}

	#estimate(): ChatUsage {
		return {
			promptTokens: promptTokens(this.#request),
			completionTokens: tokensOf(this.#made),
			reasoningTokens: tokensOf(this.#thought),
		};
	}
}

/** Stands for the last event of a model that says none. */
const over: Extract<ChatEvent, { type: 'finish' }> = { type: 'finish', reason: 'stop' };

/** Models may be written in JavaScript, or pass on what somebody else says. */
function checked(event: ChatEvent): ChatEvent {
	const { type = '', ...rest } = (event ?? {}) as Fields;
	if (forms.get(type)?.(rest)) return event;
	throw modelError('The model returned something else than the pieces of an answer.');
}

type Fields = { readonly [K in 'text' | 'message' | 'index' | 'arguments']?: unknown } & {
	readonly type?: string;
};

const isText = ({ text }: Fields) => typeof text === 'string';

const forms = new Map<string, (event: Fields) => boolean>([
	['text', isText],
	['reasoning', isText],
	['refusal', isText],
	['warning', ({ message }) => typeof message === 'string'],
	[
		'tool_call',
		({ index, arguments: more = '' }) => Number.isInteger(index) && typeof more === 'string',
	],
	['finish', () => true],
]);
