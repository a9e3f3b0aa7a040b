import type { JsonObject, ServerEvent } from '@plinth/core';
import type { ChatUsage } from '../model.ts';
import type { AnswerHead } from './head.ts';
import { wireLogprobs } from './logprobs.ts';
import type { Pieces } from './make.ts';
import type { Indexed } from './merge-streams.ts';
import type { Piece } from './normalise-output.ts';
import { wireReason } from './reason.ts';
import { wireUsage } from './usage.ts';

/** Options of a streamed response. */
export interface StreamOptions {
	/** Whether to send a final chunk with the usage and no choices. */
	readonly includeUsage: boolean;
	/** The client uses `functions` instead of `tools`. */
	readonly isLegacy: boolean;
	/** Warnings for the caller besides those of the model. */
	readonly warnings: readonly string[];
}

/** The chunks of a response as server-sent events, `[DONE]` last. */
export async function* chunks(pieces: Pieces, head: AnswerHead, options: StreamOptions): AsyncGenerator<ServerEvent> {
	const writer = new ChunkWriter(head, options);
	for await (const indexed of pieces) yield* writer.write(indexed);
	yield* writer.end();
}

/** Converts pieces to chunks. */
class ChunkWriter {
	readonly #head: AnswerHead;
	readonly #options: StreamOptions;
	readonly #started = new Set<number>();
	readonly #usages: ChatUsage[] = [];
	/** Warnings to send at the end of an answer, and those already sent. */
	readonly #warnings: Set<string>;
	readonly #sentWarnings = new Set<string>();

	constructor(head: AnswerHead, options: StreamOptions) {
		this.#head = head;
		this.#options = options;
		this.#warnings = new Set(options.warnings);
	}

	*write({ index, value: piece }: Indexed<Piece>): Generator<ServerEvent> {
		if (piece.type === 'warning') {
			// Several answers may have the same warning.
			if (!this.#sentWarnings.has(piece.message)) this.#warnings.add(piece.message);
			return;
		}
		if (!this.#started.has(index)) {
			this.#started.add(index);
			const content = piece.type === 'tool_call' || piece.type === 'refusal' ? null : '';
			yield this.#chunk([choice(index, { role: 'assistant', content, refusal: null })]);
		}
		if (piece.type === 'finish') yield this.#finish(index, piece);
		else {
			const logprobs = piece.type === 'text' ? piece.logprobs : undefined;
			yield this.#chunk([choice(index, deltaOf(piece, this.#options.isLegacy), null, logprobs)]);
		}
	}

	*end(): Generator<ServerEvent> {
		if (this.#options.includeUsage) yield this.#chunk([], { usage: wireUsage(this.#usages) });
		yield { data: '[DONE]' };
	}

	#finish(index: number, { reason, usage }: Extract<Piece, { type: 'finish' }>): ServerEvent {
		this.#usages.push(usage);
		const warnings = [...this.#warnings];
		for (const warning of warnings) this.#sentWarnings.add(warning);
		this.#warnings.clear();
		const last = choice(index, {}, wireReason(reason, this.#options.isLegacy));
		return this.#chunk([last], warnings.length > 0 ? { warnings } : {});
	}

	#chunk(choices: readonly object[], extra: object = {}): ServerEvent {
		const { id, ...rest } = this.#head;
		const usage = this.#options.includeUsage ? { usage: null } : {};
		return {
			data: { id, object: 'chat.completion.chunk', ...rest, choices, ...usage, ...extra },
		};
	}
}

function choice(
	index: number,
	delta: object,
	finishReason: string | null = null,
	logprobs?: readonly JsonObject[],
): object {
	return { index, delta, logprobs: wireLogprobs(logprobs), finish_reason: finishReason };
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
			const { index, start, arguments: text } = piece;
			const called = start ? { name: start.name, arguments: text } : { arguments: text };
			if (isLegacy) return { function_call: called };
			const head = start ? { id: start.id, type: 'function' } : {};
			return { tool_calls: [{ index, ...head, function: called }] };
		}
	}
}
