import { modelError, type PlinthError } from '@plinth/core';
import type { ChatEvent, ChatUsage, FinishReason } from '@plinth/plugin-chat/model';
import type { UpstreamAnswer } from '../upstream/answer.ts';
import { complaintIn, members } from '../upstream/complaint.ts';
import { brokenAnswer, knownFailure } from '../upstream/failure.ts';
import type { Scrub } from '../upstream/scrub.ts';
import { eventsOf } from '../upstream/sse.ts';
import { ToolDeltas } from './tool-deltas.ts';

/** Bytes of one event, and of an answer that comes whole. */
const maxBytes = 16_777_216;

type Finish = Extract<ChatEvent, { type: 'finish' }>;

/**
 * What a server answers, as events; an answer that comes whole although events were asked for is told at once. Throws
 * when the answer ends without saying so, or says that it has failed.
 */
export async function* chatEvents(answer: UpstreamAnswer): AsyncGenerator<ChatEvent> {
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
		// The answer was complete before it broke off.
		if (!reader.isDone) throw error;
	}
	yield reader.end();
}

function parsed(text: string, where: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw brokenAnswer(where, 'sent an event that is no JSON', error);
	}
}

/** Reads chunks of an answer, or a whole one, whose choices have `message` in place of `delta`. */
class ChunkReader {
	readonly #where: string;
	readonly #scrub: Scrub;
	readonly #calls = new ToolDeltas();
	#reason: FinishReason | undefined;
	#usage: ChatUsage | undefined;

	constructor({ where, scrub }: UpstreamAnswer) {
		this.#where = where;
		this.#scrub = scrub;
	}

	/** Whether the answer is complete; only its usage may still come. */
	get isDone(): boolean {
		return this.#reason !== undefined;
	}

	*read(chunk: unknown): Generator<ChatEvent> {
		const { choices, usage, error } = members(chunk);
		if (error !== undefined && error !== null) throw this.#failure(chunk);
		this.#usage = usageOf(usage) ?? this.#usage;
		const choice = Array.isArray(choices) ? members(choices[0]) : {};
		const message = choice.delta ?? choice.message;
		if (message === null) throw brokenAnswer(this.#where, 'sent no message');
		yield* this.#pieces(members(message));
		const reason = choice.finish_reason;
		if (typeof reason === 'string' && reason !== '') this.#reason = this.#reasonOf(reason);
	}

	/** The server says that the answer is complete: without a reason, the model has stopped. */
	done(): void {
		this.#reason ??= 'stop';
	}

	end(): Finish {
		if (!this.#reason) throw brokenAnswer(this.#where, 'ended its answer in the middle');
		return { type: 'finish', reason: this.#reason, ...(this.#usage ? { usage: this.#usage } : {}) };
	}

	*#pieces(delta: Readonly<Record<string, unknown>>): Generator<ChatEvent> {
		const { refusal, tool_calls: calls } = delta;
		const content = textOf(delta.content);
		const reasoning = delta.reasoning_content ?? delta.reasoning;
		if (isText(reasoning)) yield { type: 'reasoning', text: reasoning };
		if (content !== '') yield { type: 'text', text: content };
		if (isText(refusal)) yield { type: 'refusal', text: refusal };
		if (!Array.isArray(calls)) return;
		for (const [position, call] of calls.entries()) {
			const event = this.#calls.event(call, position);
			if (event) yield event;
		}
	}

	#reasonOf(said: string): FinishReason {
		// The server has stopped the answer, not the model.
		if (said === 'abort' || said === 'error') {
			throw brokenAnswer(this.#where, `ended its answer with "${said}"`);
		}
		return reasons.get(said) ?? 'stop';
	}

	#failure(chunk: unknown): PlinthError {
		const complaint = complaintIn(chunk, this.#scrub);
		const cause = new Error(`${this.#where} failed in the middle: ${complaint.text}`);
		return knownFailure(complaint, cause) ?? modelError('The model failed while it answered.', cause);
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

/** Models that think may send their text in parts, between others. */
function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part) => members(part).text)
		.filter(isText)
		.join('');
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
