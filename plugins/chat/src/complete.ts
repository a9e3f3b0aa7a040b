import {
	type BoundModel,
	type Call,
	type Clock,
	type HandlerResult,
	type Logger,
	type ModelCall,
	orAbort,
	Reply,
	type ServerEvent,
} from '@plinth/core';
import { startEventStream, withCleanup } from '@plinth/toolkit';
import type { ChatContext } from './context.ts';
import type { ChatModel } from './model.ts';
import type { ChatBody } from './request/fields.ts';
import { isLegacy } from './request/options.ts';
import { RequestReader } from './request/request-reader.ts';
import { wholeAnswer } from './response/complete.ts';
import { headOf } from './response/head.ts';
import { type AnswerOptions, makeAnswers } from './response/make.ts';
import type { ChatCompletion, chatCompletion } from './response/schemas.ts';
import { chunks } from './response/stream.ts';

/**
 * Maximum milliseconds that a streamed response waits for its first event. A failure within this time decides the
 * HTTP status of the response.
 */
const firstEventMs = 10_000;

/**
 * Responds to one request with a value or an event stream. A fallback model can take over until the complete response
 * exists or, in a stream, until the first piece. All `n` answers of a request use one model slot.
 */
export async function complete(
	chat: ChatContext,
	body: ChatBody,
	call: Call,
): Promise<HandlerResult<typeof chatCompletion>> {
	const { models, clock } = chat;
	const { id, model } = models.get(body.model);
	const reader = new RequestReader(chat, body, call);
	// Independent of the model that runs, so that all models of a pool produce the same answers.
	const seed = reader.seedFor(id);
	const context = { body, clock, reader, seed, log: call.log, notes: call.warnings };
	try {
		// The files are read before the request gets a slot and before the model's timeout starts: reading takes longest,
		// and a transcription model that it uses may be in the exclusive group of the chat model.
		const prepare = ({ model }: BoundModel<ChatModel>) => reader.read(model.abilities);
		await prepare({ id, model });
		if (!body.stream) {
			const response = await models.ask(body.model, call, (modelCall) => answerWhole(modelCall, context), prepare);
			reader.release();
			return response;
		}
		const events = await startEventStream(call, { clock, maxWaitMs: firstEventMs }, (caller) =>
			models.ask(body.model, caller, (modelCall) => answerStreamed(modelCall, context), prepare),
		);
		return Reply.events(withCleanup(events, () => reader.release()));
	} catch (error) {
		reader.release();
		throw error;
	}
}

/** Shared input of the model calls of one request. */
interface AnswerContext {
	readonly body: ChatBody;
	readonly clock: Clock;
	readonly reader: RequestReader;
	readonly seed: number;
	readonly log: Logger;
	/** Warnings about the request. */
	readonly notes: readonly string[];
}

async function answerWhole(modelCall: ModelCall<ChatModel>, context: AnswerContext): Promise<ChatCompletion> {
	const { options, head, format } = await prepare(modelCall, context);
	return wholeAnswer(await makeAnswers(options), head, format);
}

async function answerStreamed(
	modelCall: ModelCall<ChatModel>,
	context: AnswerContext,
): Promise<AsyncIterable<ServerEvent>> {
	const { options, head, format } = await prepare(modelCall, context);
	const pieces = await makeAnswers(options);
	const includeUsage = context.body.stream_options?.include_usage ?? false;
	return withCleanup(chunks(pieces, head, { ...format, includeUsage }), modelCall.keepSlot());
}

async function prepare(modelCall: ModelCall<ChatModel>, { body, clock, reader, seed, log, notes }: AnswerContext) {
	const { model, id, signal } = modelCall;
	const { request, warnings } = await orAbort(signal, reader.read(model.abilities));
	const options: AnswerOptions = { model, request, count: body.n, seed, signal, log };
	const format = { isLegacy: isLegacy(body), warnings: [...notes, ...warnings] };
	return { options, head: headOf(id, clock.now()), format };
}
