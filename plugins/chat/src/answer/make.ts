import { type Logger, modelError } from '@plinth/core';
import { awaitFirst, fromModel, toModelFailure } from '@plinth/toolkit';
import type { ChatEvent, ChatModel, ChatRequest } from '../model.ts';
import { interleaved, type Placed } from './interleaved.ts';
import { normaliseOutput, type Piece } from './normalise-output.ts';

/** How many answers to one request are made at the same time. */
const concurrency = 2;

/** What answers are made with. */
export interface AnswerOrder {
	readonly model: ChatModel;
	readonly request: ChatRequest;
	/** How many answers. */
	readonly count: number;
	/** Of the first answer; the others have the numbers behind it. */
	readonly seed: number;
	readonly signal: AbortSignal;
	readonly log: Logger;
}

/** The pieces of several answers, each with the index of its answer. */
export type Pieces = AsyncIterable<Placed<Piece>>;

/**
 * Has a model answer. Resolves with the pieces once there is something to tell, so that a failure before has a status of its own. When nobody
 * reads on, the model is told at once.
 */
export function makeAnswers(order: AnswerOrder): Promise<Pieces> {
	return awaitFirst(
		allAnswers(order),
		({ value }) => value.type !== 'warning',
		() => modelError('The model returned no answer.'),
	);
}

async function* allAnswers(order: AnswerOrder): AsyncGenerator<Placed<Piece>> {
	const over = new AbortController();
	const signal = AbortSignal.any([order.signal, over.signal]);
	const sources = Array.from(
		{ length: order.count },
		(_, index) => () => oneAnswer({ ...order, signal }, index),
	);
	try {
		yield* interleaved(sources, concurrency);
	} finally {
		// One has failed, and the others may be silent for long.
		over.abort(new Error('Nobody waits for the answer any more.'));
	}
}

async function* oneAnswer(
	{ model, request, seed, signal: outer, log }: AnswerOrder,
	index: number,
): AsyncGenerator<Piece> {
	const over = new AbortController();
	const signal = AbortSignal.any([outer, over.signal]);
	try {
		const run = { signal, seed: (seed + index) >>> 0, log };
		for await (const piece of normaliseOutput(
			fromModel(called(model, request, run), signal),
			request,
		)) {
			// A model may be at work behind its last piece, or behind a stop sequence, until its signal says that nobody wants more.
			if (piece.type === 'finish') over.abort(new Error('The answer is over.'));
			yield piece;
		}
	} finally {
		over.abort(new Error('The answer is over.'));
	}
}

/** Any failure of a model is its own, also one before it has returned something to read. */
function called(
	model: ChatModel,
	...given: Parameters<ChatModel['stream']>
): AsyncIterable<ChatEvent> {
	try {
		const iterator = model.stream(...given)[Symbol.asyncIterator]();
		return { [Symbol.asyncIterator]: () => iterator };
	} catch (error) {
		throw toModelFailure(error);
	}
}
