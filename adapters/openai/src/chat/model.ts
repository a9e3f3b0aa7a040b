import { defineModel, services } from '@plinth/core';
import {
	type ChatAbilities,
	type ChatEvent,
	type ChatModel,
	type ChatRequest,
	type ChatRun,
	chatModels,
} from '@plinth/plugin-chat/model';
import { z } from 'zod';
import { allowsPassthrough, connectionOptions, flag, forwardOption } from '../options.ts';
import type { UpstreamAnswer } from '../upstream/answer.ts';
import type { Upstream } from '../upstream/client.ts';
import type { Complaint } from '../upstream/complaint.ts';
import { answerBehind } from '../upstream/failure.ts';
import { openUpstream } from '../upstream/open.ts';
import { passthroughTo } from '../upstream/passthrough.ts';
import { sendableEvents, usageIn } from '../upstream/passthrough-hooks.ts';
import { withExtras } from '../upstream/request.ts';
import { type ChatDialect, chatDialects } from './dialects.ts';
import { chatEvents } from './events.ts';
import { ChatPassthroughRules } from './passthrough-rules.ts';
import { chatParams, ignoredOptions, wireRequest } from './request.ts';

const config = z
	.strictObject({
		...connectionOptions(chatDialects, { dialect: 'openai', timeoutSeconds: 300 }),
		...forwardOption,
		/** The model looks at pictures. */
		images: flag().default(false),
		/** The server may fetch pictures from addresses that clients name, with all that it can reach. */
		pictureUrls: flag().default(false),
		/** The model takes sound. */
		audio: flag().default(false),
		/** Media types of files that the server reads itself, such as `application/pdf`; all others arrive as text. */
		files: z.array(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/)).default([]),
		/** The model calls tools. */
		tools: flag().default(true),
		/** Which JSON the server can promise. */
		json: z.enum(['none', 'json', 'schema']).default('schema'),
		/** Most characters of documents in one request. */
		documentCharacters: z.coerce.number<number | string>().int().min(1).optional(),
	})
	.superRefine(({ dialect, audio, files, pictureUrls }, context) => {
		const known: ChatDialect = chatDialects[dialect];
		const refuse = (path: string, what: string) =>
			context.addIssue({ code: 'custom', path: [path], message: `${dialect} takes no ${what}` });
		if (pictureUrls && !known.pictureUrls) refuse('pictureUrls', 'addresses of pictures');
		if (audio && !known.audio) refuse('audio', 'sound');
		if (files.length > 0 && !known.files) refuse('files', 'files: leave this out, they arrive as text');
	});

type Config = z.output<typeof config>;

/** A chat model behind `/chat/completions`. Answers are streamed. */
export const openaiChat = defineModel({
	kind: chatModels,
	name: 'openai.chat',
	description: 'A model on another server, asked through its OpenAI-compatible API.',
	ownedBy: 'openai-compatible',
	config,
	needs: { clock: services.clock },
	create(context): ChatModel {
		const { config, id } = context;
		const client = new ChatClient(openUpstream(context), config, config.model ?? id);
		const forward = client.passthrough();
		return {
			apiVersion: 1,
			abilities: abilitiesOf(config),
			stream: (request, run) => client.stream(request, run),
			...(forward ? { forward } : {}),
		};
	},
});

function abilitiesOf(config: Config): ChatAbilities {
	const { images, audio, files, tools, json, documentCharacters } = config;
	const bound = documentCharacters === undefined ? {} : { documentCharacters };
	return { images, audio, files, tools, json, ...bound };
}

/** One chat model of a server. */
class ChatClient {
	readonly #upstream: Upstream;
	readonly #config: Config;
	readonly #model: string;
	/** False once the server has said that it does not know events. */
	#streams = true;

	constructor(upstream: Upstream, config: Config, model: string) {
		this.#upstream = upstream;
		this.#config = config;
		this.#model = model;
	}

	/** What makes the requests that are passed on; undefined where none may be. */
	passthrough(): ChatModel['forward'] {
		const upstream = this.#upstream;
		const dialect: ChatDialect = chatDialects[this.#config.dialect];
		if (!dialect.passthrough || !allowsPassthrough(this.#config)) return undefined;
		const rules = new ChatPassthroughRules(dialect);
		const common = { path, params: chatParams, usage: usageIn };
		const whole = passthroughTo(upstream, { ...common, ...typed('application/json') });
		const events = passthroughTo(upstream, {
			...common,
			...typed('text/event-stream'),
			isUnable: refusesEvents,
			sendable: sendableEvents,
		});
		return (raw) => {
			const form = rules.formOf(raw);
			if (!form || (form === 'events' && !this.#streams)) return undefined;
			return (form === 'events' ? events : whole)(raw, this.#model, rules.renamed);
		};
	}

	async *stream(request: ChatRequest, run: ChatRun): AsyncGenerator<ChatEvent> {
		run.signal.throwIfAborted();
		const dialect: ChatDialect = chatDialects[this.#config.dialect];
		const answer = await this.#ask(request, run, dialect);
		try {
			for (const message of ignoredOptions(request, dialect)) yield { type: 'warning', message };
			yield* chatEvents(answer);
		} finally {
			// Who leaves at a warning has not begun to read it.
			answer.discard();
		}
	}

	/** A server that refuses to stream is asked for whole answers from then on. */
	async #ask(request: ChatRequest, run: ChatRun, dialect: ChatDialect): Promise<UpstreamAnswer> {
		const stream = this.#streams;
		try {
			return await this.#send(request, run, dialect, stream);
		} catch (error) {
			if (!stream || !refusesEvents(answerBehind(error)?.complaint)) throw error;
			this.#streams = false;
			run.log.info({ upstream: this.#upstream.host }, 'the server of a model knows no events');
			return this.#send(request, run, dialect, false);
		}
	}

	async #send(request: ChatRequest, { seed, signal }: ChatRun, dialect: ChatDialect, stream: boolean) {
		const { pictureUrls, body } = this.#config;
		const wire = { model: this.#model, seed, dialect, stream, pictureUrls };
		const fields = await wireRequest(request, wire);
		return this.#upstream.send({
			method: 'POST',
			path,
			body: { json: withExtras(fields, body) },
			params: chatParams,
			signal,
		});
	}
}

const path = '/chat/completions';

function typed(mediaType: string) {
	return { accept: mediaType, types: new Set([mediaType]) };
}

function refusesEvents({ param }: Partial<Complaint> = {}): boolean {
	return param === 'stream' || param === 'stream_options';
}
