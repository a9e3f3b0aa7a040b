import { defineModel, services } from '@plinth/core';
import { type ChatEvent, type ChatModel, type ChatRequest, type ChatRun, chatModels } from '@plinth/plugin-chat/model';
import { z } from 'zod';
import { allowsPassthrough, connectionOptions, flag, forwardOption } from '../options.ts';
import type { Upstream } from '../upstream/client.ts';
import { errorResponseOf } from '../upstream/failure.ts';
import { openUpstream } from '../upstream/open.ts';
import { passthroughTo } from '../upstream/passthrough.ts';
import { sendableEvents, usageIn } from '../upstream/passthrough-hooks.ts';
import type { ReportedError } from '../upstream/reported-error.ts';
import { withExtras } from '../upstream/request.ts';
import type { UpstreamResponse } from '../upstream/response.ts';
import { type ChatDialect, chatDialects } from './dialects.ts';
import { chatEvents } from './events.ts';
import { ChatPassthroughRules } from './passthrough-rules.ts';
import { chatParams, ignoredOptions, wireRequest } from './request.ts';

const config = z
	.strictObject({
		...connectionOptions(chatDialects, { dialect: 'openai', timeoutSeconds: 300 }),
		...forwardOption,
		/** Whether the model accepts pictures. */
		images: flag().default(false),
		/** Whether the server may fetch pictures from URLs of clients. It then requests any address that it can reach. */
		pictureUrls: flag().default(false),
		/** Whether the model accepts audio. */
		audio: flag().default(false),
		/** Media types of files that the server reads itself, such as `application/pdf`. Other files arrive as text. */
		files: z.array(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/)).default([]),
		/** Whether the model calls tools. */
		tools: flag().default(true),
		/** The JSON that the server guarantees: none, `json` objects, or what a `schema` describes. */
		json: z.enum(['none', 'json', 'schema']).default('schema'),
		/** Names of further members that the server accepts. They are sent to the server unchanged. */
		passMembers: z.array(z.string().regex(/^\w[\w.-]{0,99}$/)).default([]),
		/** Maximum characters of documents in one request. */
		documentCharacters: z.coerce.number<number | string>().int().min(1).optional(),
		/** The length of the model's context in tokens. Requests for longer answers are refused. */
		contextTokens: z.coerce.number<number | string>().int().min(1).optional(),
	})
	.superRefine(({ dialect, audio, files, pictureUrls }, context) => {
		const known: ChatDialect = chatDialects[dialect];
		const refuse = (path: string, what: string) =>
			context.addIssue({ code: 'custom', path: [path], message: `${dialect} does not support ${what}` });
		if (pictureUrls && !known.pictureUrls) refuse('pictureUrls', 'URLs of pictures');
		if (audio && !known.audio) refuse('audio', 'audio');
		if (files.length > 0 && !known.files) refuse('files', 'files. Remove this option: files then arrive as text');
	});

type Config = z.output<typeof config>;

/** A chat model on a server with `/chat/completions`. Answers are streamed. */
export const openaiChat = defineModel({
	kind: chatModels,
	name: 'openai.chat',
	description: 'A model on another server, called through its OpenAI-compatible API.',
	ownedBy: 'openai-compatible',
	config,
	needs: { clock: services.clock },
	create(context): ChatModel {
		const { config, id } = context;
		const upstream = openUpstream(context);
		const client = new ChatClient(upstream, config, config.model ?? id);
		const forward = client.passthrough();
		return {
			apiVersion: 1,
			...upstream.unloading,
			abilities: client.abilities,
			stream: (request, run) => client.stream(request, run),
			...(forward ? { forward } : {}),
		};
	},
});

function abilitiesOf(config: Config) {
	const { images, audio, files, tools, json, contextTokens, documentCharacters, body, passMembers } = config;
	const dialect: ChatDialect = chatDialects[config.dialect];
	// Clients cannot set a member that the config sets or removes.
	const extra = [...dialect.members, ...passMembers].filter((name) => !Object.hasOwn(body, name));
	const { logprobs } = dialect;
	return { images, audio, files, tools, json, contextTokens, documentCharacters, logprobs, extra };
}

/** One chat model of a server. */
class ChatClient {
	readonly abilities: ReturnType<typeof abilitiesOf>;
	readonly #upstream: Upstream;
	readonly #config: Config;
	readonly #model: string;
	readonly #params: ReadonlySet<string>;
	/** False once the server has refused to stream. */
	#streams = true;

	constructor(upstream: Upstream, config: Config, model: string) {
		this.#upstream = upstream;
		this.#config = config;
		this.#model = model;
		this.abilities = abilitiesOf(config);
		this.#params = new Set([...chatParams, ...this.abilities.extra]);
	}

	/** Makes the requests that pass through. Undefined when no request may pass through. */
	passthrough(): ChatModel['forward'] {
		const upstream = this.#upstream;
		const dialect: ChatDialect = chatDialects[this.#config.dialect];
		if (!dialect.passthrough || !allowsPassthrough(this.#config)) return undefined;
		const rules = new ChatPassthroughRules(dialect, this.abilities.extra);
		const common = { path, params: this.#params, usage: usageIn };
		const whole = passthroughTo(upstream, { ...common, ...expecting('application/json') });
		const events = passthroughTo(upstream, {
			...common,
			...expecting('text/event-stream'),
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
		const answer = await this.#sendWithFallback(request, run, dialect);
		try {
			for (const message of ignoredOptions(request, dialect)) yield { type: 'warning', message };
			yield* chatEvents(answer);
		} finally {
			// When the reader stops at a warning, the response is unread.
			answer.discard();
		}
	}

	/** Repeats a request without streaming when the server refuses to stream. Later requests do not stream. */
	async #sendWithFallback(request: ChatRequest, run: ChatRun, dialect: ChatDialect): Promise<UpstreamResponse> {
		const stream = this.#streams;
		try {
			return await this.#send(request, run, dialect, stream);
		} catch (error) {
			if (!stream || !refusesEvents(errorResponseOf(error)?.reported)) throw error;
			this.#streams = false;
			run.log.info({ upstream: this.#upstream.host }, 'the server of a model does not support streaming');
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
			params: this.#params,
			signal,
		});
	}
}

const path = '/chat/completions';

function expecting(mediaType: string) {
	return { accept: mediaType, types: new Set([mediaType]) };
}

function refusesEvents({ param }: Partial<ReportedError> = {}): boolean {
	return param === 'stream' || param === 'stream_options';
}
