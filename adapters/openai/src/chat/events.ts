import { type JsonObject, modelError, type PlinthError } from '@plinth/core';
import type { ChatEvent, ChatUsage, FinishReason } from '@plinth/plugin-chat/model';
import { invalidResponse, knownError } from '../upstream/failure.ts';
import { members, reportedErrorIn } from '../upstream/reported-error.ts';
import type { UpstreamResponse } from '../upstream/response.ts';
import type { Scrub } from '../upstream/scrub.ts';
import { eventsOf } from '../upstream/sse.ts';
import { ToolDeltas } from './tool-deltas.ts';

/** Maximum bytes of one event, and of a complete answer. */
const maxBytes = 16_777_216;

type Finish = Extract<ChatEvent, { type: 'finish' }>;

/**
 * Converts a response to events, also a complete JSON response to a streaming request. Throws when the stream ends
 * without a finish reason or `[DONE]`, and when the server reports an error.
 */
export async function* chatEvents(answer: UpstreamResponse): AsyncGenerator<ChatEvent> {
	const reader = new ChunkReader(answer);
	if (/[/+]json$/.test(answer.mediaType)) {
		yield* reader.read(await answer.json(maxBytes));
		yield reader.end();
		return;
	}
	try {
		for await (const { data } of eventsOf(answer, maxBytes)) {
			const text = data.toString();
			if (text === '[DONE]') {
				reader.done();
				break;
			}
			yield* reader.read(parsed(text, answer.where));
		}
	} catch (error) {
		// The answer was complete before the connection was lost.
		if (!reader.isDone) throw error;
	}
	yield reader.end();
}

function parsed(text: string, where: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw invalidResponse(where, 'sent an event that is no JSON', error);
	}
}

/** Reads the chunks of an answer, or a complete answer, whose choices have `message` instead of `delta`. */
class ChunkReader {
	readonly #where: string;
	readonly #scrub: Scrub;
	readonly #calls = new ToolDeltas();
	#reason: FinishReason | undefined;
	#usage: ChatUsage | undefined;

	constructor({ where, scrub }: UpstreamResponse) {
		this.#where = where;
		this.#scrub = scrub;
	}

	/** Whether the answer is complete. Its usage may still follow. */
	get isDone(): boolean {
		return this.#reason !== undefined;
	}

	*read(chunk: unknown): Generator<ChatEvent> {
		const { choices, usage, error } = members(chunk);
		if (error !== undefined && error !== null) throw this.#failure(chunk);
		this.#usage = usageOf(usage) ?? this.#usage;
		const choice = Array.isArray(choices) ? members(choices[0]) : {};
		const message = choice.delta ?? choice.message;
		if (message === null) throw invalidResponse(this.#where, 'sent no message');
		yield* this.#pieces(members(message), tokensOf(choice.logprobs));
		const reason = choice.finish_reason;
		if (typeof reason === 'string' && reason !== '') this.#reason = this.#reasonOf(reason);
	}

	/** Handles `[DONE]`. Without a finish reason, the reason is `stop`. */
	done(): void {
		this.#reason ??= 'stop';
	}

	end(): Finish {
		if (!this.#reason) throw invalidResponse(this.#where, 'ended before its answer was complete');
		return { type: 'finish', reason: this.#reason, ...(this.#usage ? { usage: this.#usage } : {}) };
	}

	*#pieces(delta: Readonly<Record<string, unknown>>, logprobs: readonly JsonObject[]): Generator<ChatEvent> {
		const { refusal, tool_calls: calls } = delta;
		const content = textOf(delta.content);
		const reasoning = delta.reasoning_content ?? delta.reasoning;
		if (isText(reasoning)) yield { type: 'reasoning', text: reasoning };
		if (logprobs.length > 0) yield { type: 'text', text: content, logprobs };
		else if (content !== '') yield { type: 'text', text: content };
		if (isText(refusal)) yield { type: 'refusal', text: refusal };
		if (!Array.isArray(calls)) return;
		for (const [position, call] of calls.entries()) {
			const event = this.#calls.event(call, position);
			if (event) yield event;
		}
	}

	#reasonOf(name: string): FinishReason {
		// The server stopped the answer, not the model.
		if (name === 'abort' || name === 'error') {
			throw invalidResponse(this.#where, `ended its answer with "${name}"`);
		}
		return reasons.get(name) ?? 'stop';
	}

	#failure(chunk: unknown): PlinthError {
		const reported = reportedErrorIn(chunk, this.#scrub);
		const cause = new Error(`${this.#where} failed during its answer: ${reported.text}`);
		return knownError(reported, cause) ?? modelError('The model failed while it answered.', cause);
	}
}

const reasons = new Map<string, FinishReason>([
	['length', 'length'],
	['max_tokens', 'length'],
	['model_length', 'length'],
	['tool_calls', 'tool_calls'],
	['function_call', 'tool_calls'],
	['content_filter', 'content_filter'],
]);

/** The text of `content`. Reasoning models may send a list of parts, of which some are text. */
function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part) => members(part).text)
		.filter(isText)
		.join('');
}

/** The tokens of a text with their log probabilities. */
function tokensOf(logprobs: unknown): readonly JsonObject[] {
	const { content } = members(logprobs);
	return Array.isArray(content) ? content.filter((token) => typeof token === 'object' && token !== null) : [];
}

function isText(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}

function usageOf(value: unknown): ChatUsage | undefined {
	const usage = members(value);
	const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage;
	if (!isCount(promptTokens) || !isCount(completionTokens)) return undefined;
	const cached = members(usage.prompt_tokens_details).cached_tokens;
	const reasoning = members(usage.completion_tokens_details).reasoning_tokens;
	return {
		promptTokens,
		completionTokens,
		...(isCount(cached) ? { cachedTokens: cached } : {}),
		...(isCount(reasoning) ? { reasoningTokens: reasoning } : {}),
	};
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0;
}
