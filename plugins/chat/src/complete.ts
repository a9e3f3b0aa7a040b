import {
	type Call,
	type Capacity,
	type Clock,
	type DocumentReader,
	type FileSources,
	type ImageCodec,
	type Models,
	NamedFiles,
	Reply,
	type TenantTurns,
} from '@plinth/core';
import { checkAbilities } from './abilities.ts';
import { closing } from './answer/closing.ts';
import { headOf } from './answer/head.ts';
import { type AnswerOrder, beginAnswers, makeAnswers } from './answer/make.ts';
import { chunks } from './answer/stream.ts';
import { wholeAnswer } from './answer/whole.ts';
import { TextRoom } from './documents/room.ts';
import type { ChatModel } from './model.ts';
import type { ChatOptions } from './options.ts';
import type { InputContext } from './request/context.ts';
import { draftsOf } from './request/drafts.ts';
import type { ChatBody } from './request/fields.ts';
import { readMessages } from './request/inputs.ts';
import { seedOf } from './request/seed.ts';
import { isLegacy, wishOf } from './request/wish.ts';

/** What requests are answered with. */
export interface ChatContext {
	readonly options: ChatOptions;
	readonly models: Models<ChatModel>;
	readonly documents: DocumentReader | undefined;
	readonly images: ImageCodec | undefined;
	/** Where files lie that requests name. */
	readonly sources: FileSources;
	/** The characters of the documents of all requests. */
	readonly held: Capacity;
	readonly turns: TenantTurns;
	readonly clock: Clock;
}

/** How long a model may be silent before a streamed answer begins without it: a failure until then has a status of its own. */
const firstEventMs = 10_000;

/** Answers one request: a value for a whole answer, or events. */
export async function complete(context: ChatContext, body: ChatBody, call: Call): Promise<unknown> {
	const room = new TextRoom(context.options.documentChars, context.held.share());
	// The texts count for as long as the model may look at them.
	const release = () => room.release();
	call.signal.addEventListener('abort', release, { once: true });
	try {
		const warnings = new Set<string>();
		const found = context.models.get(body.model);
		const warn = (message: string) => warnings.add(message);
		const named = new NamedFiles(context.sources, call);
		const order = await orderOf(found, body, call, { ...context, named, room, warn });
		const head = headOf(found.id, context.clock.now());
		const telling = { isLegacy: isLegacy(body), warnings: [...warnings] };
		if (body.stream) {
			const pieces = await beginAnswers(order, context.clock, firstEventMs);
			const includeUsage = body.stream_options?.include_usage ?? false;
			return Reply.events(closing(chunks(pieces, head, { ...telling, includeUsage }), release));
		}
		const answer = await wholeAnswer(await makeAnswers(order), head, telling);
		release();
		return answer;
	} catch (error) {
		release();
		throw error;
	}
}

async function orderOf(
	{ model, id }: ReturnType<ChatContext['models']['get']>,
	body: ChatBody,
	{ signal, log, principal: { tenant } }: Call,
	surroundings: Pick<InputContext, 'documents' | 'images' | 'named' | 'room' | 'turns' | 'warn'>,
): Promise<AnswerOrder> {
	const { abilities = {} } = model;
	const wish = wishOf(body);
	checkAbilities(abilities, wish);
	if (body.logprobs) surroundings.warn('logprobs: this server gives none.');
	const drafts = draftsOf(body.messages);
	const seed = seedOf(id, wish, drafts, body.seed);
	const messages = await readMessages(drafts, { ...surroundings, abilities, tenant, signal });
	return { model, request: { ...wish, messages }, count: body.n, seed, signal, log };
}
