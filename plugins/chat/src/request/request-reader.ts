import type { Call } from '@plinth/core';
import { ReferencedFiles } from '@plinth/toolkit';
import { checkAbilities } from '../abilities.ts';
import type { ChatContext } from '../context.ts';
import { TextBudget } from '../documents/text-budget.ts';
import { transcriptionFor } from '../documents/transcribe.ts';
import type { ChatAbilities, ChatRequest } from '../model.ts';
import { extraMembers } from './extra-members.ts';
import type { ChatBody } from './fields.ts';
import { readMessages } from './inputs.ts';
import { type ChatOptions, chatOptions } from './options.ts';
import { type RawMessage, rawMessages } from './raw-messages.ts';
import { seedOf } from './seed.ts';

/** A request for a model. */
export interface ReadRequest {
	readonly request: ChatRequest;
	/** Warnings for the caller besides those of the model. */
	readonly warnings: readonly string[];
}

/**
 * Reads one request for any model. Files are read once for all models with equal abilities. Their text
 * counts against the budget until `release`, because a model may read it until then. The constructor throws
 * 400 errors that do not depend on the model.
 */
export class RequestReader {
	readonly #context: ChatContext;
	readonly #body: ChatBody;
	readonly #call: Call;
	readonly #options: ChatOptions;
	readonly #messages: readonly RawMessage[];
	readonly #referenced: ReferencedFiles;
	readonly #budgets: TextBudget[] = [];
	readonly #requests = new Map<string, Promise<ReadRequest>>();
	#isReleased = false;

	constructor(context: ChatContext, body: ChatBody, call: Call) {
		this.#context = context;
		this.#body = body;
		this.#call = call;
		this.#options = chatOptions(body);
		this.#messages = rawMessages(body.messages);
		this.#referenced = new ReferencedFiles(context.sources, call);
		call.signal.addEventListener('abort', () => this.release(), { once: true });
	}

	/**
	 * The request for a model with these abilities. Rejects with 400 errors for options and parts that the model does not
	 * accept, and for unreadable files.
	 */
	read(abilities: ChatAbilities = {}): Promise<ReadRequest> {
		const key = JSON.stringify(abilities);
		const pending = this.#requests.get(key) ?? this.#readFor(abilities);
		this.#requests.set(key, pending);
		return pending;
	}

	/** The seed of the first answer for the model that the client named. */
	seedFor(id: string): number {
		return seedOf(id, this.#options, this.#messages, this.#body.seed);
	}

	/** Releases the text budget; call it when no model needs the texts. May be called several times. */
	release(): void {
		this.#isReleased = true;
		for (const budget of this.#budgets) budget.release();
	}

	async #readFor(abilities: ChatAbilities): Promise<ReadRequest> {
		checkAbilities(abilities, this.#options, this.#body.max_completion_tokens ? 'max_completion_tokens' : 'max_tokens');
		const { options, textCapacity, documents, images, speech, readLimit } = this.#context;
		const { principal, signal } = this.#call;
		const { extra, warnings: ignored } = extraMembers(this.#body, abilities);
		const { topLogprobs, ...supported } = this.#options;
		const warnings = new Set<string>(ignored);
		const returnsLogprobs = topLogprobs !== undefined && abilities.logprobs === true;
		if (topLogprobs !== undefined && !returnsLogprobs) warnings.add('logprobs: the model does not report them.');
		const budget = new TextBudget(options.documentChars, textCapacity.share());
		if (this.#isReleased) budget.release();
		this.#budgets.push(budget);
		// The request's signal, not a model call's: a fallback model reuses the result after an aborted call.
		const messages = await readMessages(this.#messages, {
			abilities,
			documents,
			images,
			transcribe: transcriptionFor(speech, this.#call),
			referenced: this.#referenced,
			budget,
			readLimit,
			tenant: principal.tenant,
			signal,
			warn: (message) => warnings.add(message),
		});
		const request = {
			...supported,
			messages,
			...(returnsLogprobs ? { topLogprobs } : {}),
			...(extra ? { extra } : {}),
		};
		return { request, warnings: [...warnings] };
	}
}
