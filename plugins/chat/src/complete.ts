import {
	type Call,
	type Clock,
	type HandlerResult,
	type Logger,
	type ModelCall,
	orAbort,
	Reply,
	type ServerEvent,
} from '@plinth/core';
import { closing, eventsWithin } from '@plinth/toolkit';
import { headOf } from './answer/head.ts';
import { type AnswerOrder, makeAnswers } from './answer/make.ts';
import type { ChatCompletion, chatCompletion } from './answer/schemas.ts';
import { chunks } from './answer/stream.ts';
import { wholeAnswer } from './answer/whole.ts';
import type { ChatContext } from './context.ts';
import type { ChatModel } from './model.ts';
import type { ChatBody } from './request/fields.ts';
import { isLegacy } from './request/options.ts';
import { Readings } from './request/readings.ts';

/** How long models may be silent before a streamed answer begins without them, in milliseconds: a failure until then has a status of its own. */
const firstEventMs = 10_000;

/**
 * Answers one request: a value for a whole answer, or events. Another model can take over until a whole answer is there, or the first piece of a streamed one. All answers of one
 * request (`n`) are one turn of the model, whose place is held until the last of them is over.
 */
export async function complete(
	context: ChatContext,
	body: ChatBody,
	call: Call,
): Promise<HandlerResult<typeof chatCompletion>> {
	const { models, clock } = context;
	const { id, model } = models.get(body.model);
	const readings = new Readings(context, body, call);
	// Equal for whoever answers: one member of a pool may do what another did before.
	const seed = readings.seedFor(id);
	const question = { body, clock, readings, seed, log: call.log };
	try {
		// Before a place is taken, and before the model's time runs: it is the caller's files that take long.
		await readings.for(model.abilities);
		if (!body.stream) {
			const answer = await models.ask(body.model, call, (turn) => answerWhole(turn, question));
			readings.release();
			return answer;
		}
		const events = await eventsWithin(call, { clock, ms: firstEventMs }, (caller) =>
			models.ask(body.model, caller, (turn) => answerPiecemeal(turn, question)),
		);
		return Reply.events(closing(events, () => readings.release()));
	} catch (error) {
		readings.release();
		throw error;
	}
}

/** What every model of a request is asked with. */
interface Question {
	readonly body: ChatBody;
	readonly clock: Clock;
	readonly readings: Readings;
	readonly seed: number;
	readonly log: Logger;
}

async function answerWhole(
	turn: ModelCall<ChatModel>,
	question: Question,
): Promise<ChatCompletion> {
	const { order, head, telling } = await begin(turn, question);
	return wholeAnswer(await makeAnswers(order), head, telling);
}

async function answerPiecemeal(
	turn: ModelCall<ChatModel>,
	question: Question,
): Promise<AsyncIterable<ServerEvent>> {
	const { order, head, telling } = await begin(turn, question);
	const pieces = await makeAnswers(order);
	const includeUsage = question.body.stream_options?.include_usage ?? false;
	return closing(chunks(pieces, head, { ...telling, includeUsage }), turn.keepSlot());
}

async function begin(turn: ModelCall<ChatModel>, { body, clock, readings, seed, log }: Question) {
	const { model, id, signal } = turn;
	const { request, warnings } = await orAbort(signal, readings.for(model.abilities));
	const order: AnswerOrder = { model, request, count: body.n, seed, signal, log };
	const telling = { isLegacy: isLegacy(body), warnings };
	return { order, head: headOf(id, clock.now()), telling };
}
