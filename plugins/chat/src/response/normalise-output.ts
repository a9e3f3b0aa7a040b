import { abandon, type JsonObject, modelError } from '@plinth/core';
import type { ChatEvent, ChatRequest, ChatUsage, FinishReason } from '../model.ts';
import { StopSequenceFilter } from './stop-sequence-filter.ts';
import { ToolCalls, type ToolPiece } from './tool-calls.ts';
import { isUsage, promptTokens, tokensOf } from './usage.ts';

/** A normalised piece of one answer. */
export type Piece =
	| Exclude<ChatEvent, { type: 'tool_call' | 'finish' }>
	| ToolPiece
	| { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: ChatUsage };

/**
 * Normalises a model's output: no empty pieces, well-formed tool calls, no output from a stop sequence on,
 * and one `finish` as the last piece, with a valid reason and usage. Throws `E_MODEL_FAILED` for an answer
 * without content and for unknown events.
 */
export async function* normaliseOutput(events: AsyncIterable<ChatEvent>, request: ChatRequest): AsyncGenerator<Piece> {
	const answer = new Answer(request);
	const iterator = events[Symbol.asyncIterator]();
	try {
		while (!answer.isCut) {
			const step = await iterator.next();
			const event = step.done ? defaultFinish : checkEvent(step.value);
			if (event.type === 'finish') {
				yield* answer.end(event);
				return;
			}
			yield* answer.push(event);
		}
		yield* answer.end();
	} finally {
		// Not awaited, unlike in `for await`: the answer has ended even when the model does not return.
		abandon(iterator);
	}
}

/** Maximum number of distinct warnings of one answer; the rest are dropped. */
const maxWarnings = 32;

class Answer {
	readonly #request: ChatRequest;
	readonly #stopFilter: StopSequenceFilter;
	readonly #calls: ToolCalls;
	readonly #warnings = new Set<string>();
	/** Length of the output in UTF-16 units, for the usage estimate. */
	#outputLength = 0;
	#reasoningLength = 0;

	constructor(request: ChatRequest) {
		this.#request = request;
		this.#stopFilter = new StopSequenceFilter(request.stop);
		this.#calls = new ToolCalls(request);
	}

	get isCut(): boolean {
		return this.#stopFilter.isCut;
	}

	*push(event: Exclude<ChatEvent, { type: 'finish' }>): Generator<Piece> {
		switch (event.type) {
			case 'text':
				yield* this.#text(this.#stopFilter.push(event.text), event.logprobs);
				break;
			case 'tool_call':
				yield* this.#call(event);
				break;
			case 'warning':
				if (this.#warnings.has(event.message) || this.#warnings.size === maxWarnings) break;
				this.#warnings.add(event.message);
				yield event;
				break;
			case 'reasoning':
			case 'refusal':
				if (event.text === '') break;
				this.#outputLength += event.text.length;
				if (event.type === 'reasoning') this.#reasoningLength += event.text.length;
				yield event;
		}
	}

	*end(finish?: Extract<ChatEvent, { type: 'finish' }>): Generator<Piece> {
		yield* this.#text(this.#stopFilter.end());
		const reason = this.#reason(finish?.reason);
		// Arguments that a token limit has cut are not valid JSON.
		yield* this.#calls.end(reason === 'tool_calls');
		// A content filter or a token limit may leave no content, and so may a stop sequence at the start.
		if (this.#outputLength === 0 && reason === 'stop' && !this.isCut) {
			throw modelError('The model returned no answer.');
		}
		const usage = isUsage(finish?.usage) ? finish.usage : this.#estimate();
		yield { type: 'finish', reason, usage };
	}

	/** Tokens may arrive before their text, because the filter may hold back its end. After a cut, none are sent. */
	*#text(text: string, tokens: readonly JsonObject[] = []): Generator<Piece> {
		const logprobs = this.#request.topLogprobs === undefined || this.isCut ? [] : tokens;
		if (text === '' && logprobs.length === 0) return;
		this.#outputLength += text.length;
		yield { type: 'text', text, ...(logprobs.length > 0 ? { logprobs } : {}) };
	}

	*#call(event: Extract<ChatEvent, { type: 'tool_call' }>): Generator<Piece> {
		const piece = this.#calls.push(event);
		if (!piece) return;
		this.#outputLength += piece.arguments.length + (piece.start?.name.length ?? 0);
		yield piece;
	}

	#reason(reported: FinishReason | undefined): FinishReason {
		if (reported === 'length' || reported === 'content_filter') return reported;
		return this.#calls.count > 0 ? 'tool_calls' : 'stop';
	}

	#estimate(): ChatUsage {
		return {
			promptTokens: promptTokens(this.#request),
			completionTokens: tokensOf(this.#outputLength),
			reasoningTokens: tokensOf(this.#reasoningLength),
		};
	}
}

/** The final event for a model that sends none. */
const defaultFinish: Extract<ChatEvent, { type: 'finish' }> = { type: 'finish', reason: 'stop' };

/** Validates an event: models may be written in JavaScript, or relay an upstream. */
function checkEvent(event: ChatEvent): ChatEvent {
	const { type = '', ...rest } = (event ?? {}) as Fields;
	if (validators.get(type)?.(rest)) return event;
	throw modelError('The model returned an invalid event.');
}

type Fields = { readonly [K in 'text' | 'logprobs' | 'message' | 'index' | 'arguments']?: unknown } & {
	readonly type?: string;
};

const isText = ({ text }: Fields) => typeof text === 'string';

const validators = new Map<string, (event: Fields) => boolean>([
	['text', ({ text, logprobs = [] }) => typeof text === 'string' && Array.isArray(logprobs)],
	['reasoning', isText],
	['refusal', isText],
	['warning', ({ message }) => typeof message === 'string'],
	['tool_call', ({ index, arguments: text = '' }) => Number.isInteger(index) && typeof text === 'string'],
	['finish', () => true],
]);
