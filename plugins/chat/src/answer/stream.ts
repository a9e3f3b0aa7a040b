import type { ServerEvent } from '@plinth/core';
import type { ChatUsage } from '../model.ts';
import type { AnswerHead } from './head.ts';
import type { Placed } from './interleaved.ts';
import type { Pieces } from './make.ts';
import type { Piece } from './normalise-output.ts';
import { wireReason } from './reason.ts';
import { wireUsage } from './usage.ts';

/** How a streamed answer is told. */
export interface StreamOptions {
	/** Ends with a chunk that has the usage and no choices. */
	readonly includeUsage: boolean;
	/** The client speaks of functions in place of tools. */
	readonly isLegacy: boolean;
	/** What the caller is to know, besides what the model says. */
	readonly warnings: readonly string[];
}

/** The chunks of an answer as server-sent events, `[DONE]` last. */
export async function* chunks(
	pieces: Pieces,
	head: AnswerHead,
	options: StreamOptions,
): AsyncGenerator<ServerEvent> {
	const teller = new Teller(head, options);
	for await (const placed of pieces) yield* teller.tell(placed);
	yield* teller.end();
}

/** Turns pieces into chunks. */
class Teller {
	readonly #head: AnswerHead;
	readonly #options: StreamOptions;
	readonly #begun = new Set<number>();
	readonly #usages: ChatUsage[] = [];
	/** Warnings that wait for the end of an answer, and those that have been told. */
	readonly #warnings: Set<string>;
	readonly #told = new Set<string>();

	constructor(head: AnswerHead, options: StreamOptions) {
		this.#head = head;
		this.#options = options;
		this.#warnings = new Set(options.warnings);
	}

	*tell({ index, value: piece }: Placed<Piece>): Generator<ServerEvent> {
		if (piece.type === 'warning') {
			// Each of several answers may say the same.
			if (!this.#told.has(piece.message)) this.#warnings.add(piece.message);
			return;
		}
		if (!this.#begun.has(index)) {
			this.#begun.add(index);
			const content = piece.type === 'tool_call' || piece.type === 'refusal' ? null : '';
			yield this.#chunk([choice(index, { role: 'assistant', content, refusal: null })]);
		}
		if (piece.type === 'finish') yield this.#finish(index, piece);
		else yield this.#chunk([choice(index, deltaOf(piece, this.#options.isLegacy))]);
	}

	*end(): Generator<ServerEvent> {
		if (this.#options.includeUsage) yield this.#chunk([], { usage: wireUsage(this.#usages) });
		yield { data: '[DONE]' };
	}

	#finish(index: number, { reason, usage }: Extract<Piece, { type: 'finish' }>): ServerEvent {
		this.#usages.push(usage);
		const news = [...this.#warnings];
		for (const warning of news) this.#told.add(warning);
		this.#warnings.clear();
		const last = choice(index, {}, wireReason(reason, this.#options.isLegacy));
		return this.#chunk([last], news.length > 0 ? { warnings: news } : {});
	}

	#chunk(choices: readonly object[], more: object = {}): ServerEvent {
		const { id, ...rest } = this.#head;
		const usage = this.#options.includeUsage ? { usage: null } : {};
		return {
			data: { id, object: 'chat.completion.chunk', ...rest, choices, ...usage, ...more },
		};
	}
}

function choice(index: number, delta: object, finishReason: string | null = null): object {
	return { index, delta, logprobs: null, finish_reason: finishReason };
}

function deltaOf(piece: Exclude<Piece, { type: 'warning' | 'finish' }>, isLegacy: boolean): object {
	switch (piece.type) {
		case 'text':
			return { content: piece.text };
		case 'reasoning':
			return { reasoning_content: piece.text };
		case 'refusal':
			return { refusal: piece.text };
		case 'tool_call': {
			const { index, begin, arguments: text } = piece;
			const called = begin ? { name: begin.name, arguments: text } : { arguments: text };
			if (isLegacy) return { function_call: called };
			const head = begin ? { id: begin.id, type: 'function' } : {};
			return { tool_calls: [{ index, ...head, function: called }] };
		}
	}
}
