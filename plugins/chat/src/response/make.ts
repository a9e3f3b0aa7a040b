import { type Logger, modelError } from '@plinth/core';
import { awaitFirst, fromModel, toModelFailure } from '@plinth/toolkit';
import type { ChatEvent, ChatModel, ChatRequest } from '../model.ts';
import { type Indexed, mergeStreams } from './merge-streams.ts';
import { normaliseOutput, type Piece } from './normalise-output.ts';

/** How many answers to one request are generated concurrently. */
const concurrency = 2;

/** Inputs of the generation. */
export interface AnswerOptions {
	readonly model: ChatModel;
	readonly request: ChatRequest;
	/** Number of answers. */
	readonly count: number;
	/** Seed of the first answer; the others count up from it. */
	readonly seed: number;
	readonly signal: AbortSignal;
	readonly log: Logger;
}

/** The pieces of several answers, each with the index of its answer. */
export type Pieces = AsyncIterable<Indexed<Piece>>;

/**
 * Starts the model. Resolves with the pieces once there is content, so that an earlier failure can decide
 * the HTTP status. When the reader stops, the model calls are aborted.
 */
export function makeAnswers(options: AnswerOptions): Promise<Pieces> {
	return awaitFirst(
		allAnswers(options),
		({ value }) => value.type !== 'warning',
		() => modelError('The model returned no answer.'),
	);
}

async function* allAnswers(options: AnswerOptions): AsyncGenerator<Indexed<Piece>> {
	const done = new AbortController();
	const signal = AbortSignal.any([options.signal, done.signal]);
	const sources = Array.from({ length: options.count }, (_, index) => () => oneAnswer({ ...options, signal }, index));
	try {
		yield* mergeStreams(sources, concurrency);
	} finally {
		// After one failure, the other calls may not yield for a long time.
		done.abort(new Error('The answer was cancelled.'));
	}
}

async function* oneAnswer(
	{ model, request, seed, signal: outer, log }: AnswerOptions,
	index: number,
): AsyncGenerator<Piece> {
	const done = new AbortController();
	const signal = AbortSignal.any([outer, done.signal]);
	try {
		const run = { signal, seed: (seed + index) >>> 0, log };
		for await (const piece of normaliseOutput(fromModel(startStream(model, request, run), signal), request)) {
			// A model may still work after its last piece or after a stop sequence, until its signal aborts.
			if (piece.type === 'finish') done.abort(new Error('The answer has ended.'));
			yield piece;
		}
	} finally {
		done.abort(new Error('The answer has ended.'));
	}
}

/** Failures of the model become model failures, also before it has returned a stream. */
function startStream(model: ChatModel, ...args: Parameters<ChatModel['stream']>): AsyncIterable<ChatEvent> {
	try {
		const iterator = model.stream(...args)[Symbol.asyncIterator]();
		return { [Symbol.asyncIterator]: () => iterator };
	} catch (error) {
		throw toModelFailure(error);
	}
}
