import type { Call } from '@plinth/core';
import { NamedFiles } from '@plinth/toolkit';
import { checkAbilities } from '../abilities.ts';
import type { ChatContext } from '../context.ts';
import { TextBudget } from '../documents/text-budget.ts';
import type { ChatAbilities, ChatRequest } from '../model.ts';
import type { ChatBody } from './fields.ts';
import { readMessages } from './inputs.ts';
import { type ChatOptions, chatOptions } from './options.ts';
import { type RawMessage, rawMessages } from './raw-messages.ts';
import { seedOf } from './seed.ts';

/** A request as a model gets it. */
export interface ReadRequest {
	readonly request: ChatRequest;
	/** What the caller is to know, besides what the model says. */
	readonly warnings: readonly string[];
}

/**
 * One request, for whichever models are asked. Its files are read once for all models of equal abilities, and their texts count from then on until `release`, because a model may look
 * at them for as long. Making one throws 400 errors for what is wrong with the request whatever the model.
 */
export class Readings {
	readonly #context: ChatContext;
	readonly #body: ChatBody;
	readonly #call: Call;
	readonly #wish: ChatOptions;
	readonly #drafts: readonly RawMessage[];
	readonly #named: NamedFiles;
	readonly #rooms: TextBudget[] = [];
	readonly #read = new Map<string, Promise<ReadRequest>>();
	#isOver = false;

	constructor(context: ChatContext, body: ChatBody, call: Call) {
		this.#context = context;
		this.#body = body;
		this.#call = call;
		this.#wish = chatOptions(body);
		this.#drafts = rawMessages(body.messages);
		this.#named = new NamedFiles(context.sources, call);
		call.signal.addEventListener('abort', () => this.release(), { once: true });
	}

	/** The request for a model of these abilities. Rejects with 400 errors for what such a model does not take, and for files that cannot be read. */
	for(abilities: ChatAbilities = {}): Promise<ReadRequest> {
		const key = JSON.stringify(abilities);
		const read = this.#read.get(key) ?? this.#readFor(abilities);
		this.#read.set(key, read);
		return read;
	}

	/** The seed of the first answer, for the model that the client named. */
	seedFor(id: string): number {
		return seedOf(id, this.#wish, this.#drafts, this.#body.seed);
	}

	/** To be called when no model looks at the texts any more; also more than once. */
	release(): void {
		this.#isOver = true;
		for (const room of this.#rooms) room.release();
	}

	async #readFor(abilities: ChatAbilities): Promise<ReadRequest> {
		checkAbilities(abilities, this.#wish);
		const { options, held, documents, images, turns } = this.#context;
		const { principal, signal } = this.#call;
		const warnings = new Set<string>();
		if (this.#body.logprobs) warnings.add('logprobs: this server gives none.');
		const room = new TextBudget(options.documentChars, held.share());
		if (this.#isOver) room.release();
		this.#rooms.push(room);
		// By the call's signal and not by that of a model's turn: what a turn that is over has broken off, the next model would not get either.
		const messages = await readMessages(this.#drafts, {
			abilities,
			documents,
			images,
			named: this.#named,
			room,
			turns,
			tenant: principal.tenant,
			signal,
			warn: (message) => warnings.add(message),
		});
		return { request: { ...this.#wish, messages }, warnings: [...warnings] };
	}
}
