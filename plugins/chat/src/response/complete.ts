import { type JsonObject, modelError } from '@plinth/core';
import type { ChatUsage, FinishReason } from '../model.ts';
import type { AnswerHead } from './head.ts';
import { wireLogprobs } from './logprobs.ts';
import type { Pieces } from './make.ts';
import type { Piece } from './normalise-output.ts';
import { wireReason } from './reason.ts';
import type { ChatCompletion } from './schemas.ts';
import { wireUsage } from './usage.ts';

/** Maximum UTF-16 units of a complete response, over all choices, log probabilities included. */
const maxLength = 16_777_216;

/** Options of a complete response. */
export interface WholeOptions {
	/** The client uses `functions` instead of `tools`. */
	readonly isLegacy: boolean;
	/** Warnings for the caller besides those of the model. */
	readonly warnings: readonly string[];
}

/** Collects the pieces into one response. Throws `E_MODEL_FAILED` for one longer than 16 MB. */
export async function wholeAnswer(
	pieces: Pieces,
	head: AnswerHead,
	{ isLegacy, warnings: initialWarnings }: WholeOptions,
): Promise<ChatCompletion> {
	const choices = new Map<number, Choice>();
	const warnings = new Set(initialWarnings);
	let length = 0;
	for await (const { index, value: piece } of pieces) {
		if (piece.type === 'warning') {
			warnings.add(piece.message);
			continue;
		}
		const choice = choices.get(index) ?? new Choice();
		choices.set(index, choice);
		length += choice.add(piece);
		if (length > maxLength) throw modelError('The model returned an answer that is too long.');
	}
	const { id, ...rest } = head;
	const inOrder = [...choices].sort(([a], [b]) => a - b);
	return {
		id,
		object: 'chat.completion',
		...rest,
		choices: inOrder.map(([index, choice]) => choice.wire(index, isLegacy)),
		usage: wireUsage(inOrder.flatMap(([, { usage }]) => usage ?? [])),
		...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
	};
}

/** Accumulates one answer. */
class Choice {
	usage: ChatUsage | undefined;
	#reason: FinishReason = 'stop';
	readonly #text: string[] = [];
	readonly #reasoning: string[] = [];
	readonly #refusal: string[] = [];
	readonly #logprobs: JsonObject[] = [];
	readonly #calls: { id: string; name: string; arguments: string[] }[] = [];

	/** Returns the added UTF-16 units. */
	add(piece: Exclude<Piece, { type: 'warning' }>): number {
		switch (piece.type) {
			case 'finish':
				this.usage = piece.usage;
				this.#reason = piece.reason;
				return 0;
			case 'tool_call':
				if (piece.start) this.#calls.push({ ...piece.start, arguments: [] });
				this.#calls[piece.index]?.arguments.push(piece.arguments);
				return piece.arguments.length;
			case 'text':
				this.#text.push(piece.text);
				for (const token of piece.logprobs ?? []) this.#logprobs.push(token);
				return piece.text.length + (piece.logprobs ? JSON.stringify(piece.logprobs).length : 0);
			case 'reasoning':
				return this.#reasoning.push(piece.text) && piece.text.length;
			case 'refusal':
				return this.#refusal.push(piece.text) && piece.text.length;
		}
	}

	wire(index: number, isLegacy: boolean): ChatCompletion['choices'][number] {
		const hasOther = this.#calls.length > 0 || this.#refusal.length > 0;
		const content = this.#text.join('');
		return {
			index,
			message: {
				role: 'assistant',
				content: content === '' && hasOther ? null : content,
				refusal: this.#refusal.length > 0 ? this.#refusal.join('') : null,
				annotations: [],
				...(this.#reasoning.length > 0 ? { reasoning_content: this.#reasoning.join('') } : {}),
				...this.#wireCalls(isLegacy),
			},
			logprobs: wireLogprobs(this.#logprobs),
			finish_reason: wireReason(this.#reason, isLegacy),
		};
	}

	#wireCalls(isLegacy: boolean): Partial<ChatCompletion['choices'][number]['message']> {
		const calls = this.#calls.map(({ id, name, arguments: text }) => ({
			id,
			type: 'function' as const,
			function: { name, arguments: text.join('') },
		}));
		const [first] = calls;
		if (!first) return {};
		return isLegacy ? { function_call: first.function } : { tool_calls: calls };
	}
}
