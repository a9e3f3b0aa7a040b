import {
	defineModelKind,
	type ForwardRequest,
	type JsonObject,
	type Logger,
	type RawBody,
	type Unloadable,
} from '@plinth/core';
import type { EncodedImage } from '@plinth/toolkit';

/**
 * A request for one answer, independent of the wire format. For several answers (`n`) the plugin calls the model again
 * with successive seeds.
 */
export interface ChatRequest {
	/** At least one, oldest first. */
	readonly messages: readonly ChatMessage[];
	/** The tools that the model may call. */
	readonly tools: readonly ChatTool[];
	/** `required`: at least one call. A name: a call of this tool. */
	readonly toolChoice: 'none' | 'auto' | 'required' | { readonly name: string };
	/** Whether one answer may have several calls. */
	readonly parallelToolCalls: boolean;
	/** The format of the answer's text. */
	readonly format: ChatFormat;
	/** Maximum tokens of the answer, which then ends with `length`. Absent: the model decides. */
	readonly maxTokens?: number;
	/** 0 to 2. */
	readonly temperature?: number;
	/** 0 to 1. */
	readonly topP?: number;
	/** -2 to 2. */
	readonly presencePenalty?: number;
	/** -2 to 2. */
	readonly frequencyPenalty?: number;
	/** At most 4 stop sequences. The plugin cuts the text before the first one, also when the model ignores them. */
	readonly stop: readonly string[];
	/** The reasoning effort, as the client wrote it: `minimal`, `low`, `medium`, `high`… */
	readonly effort?: string;
	/** The client's identifier of its user. */
	readonly user?: string;
	/** Requests log probabilities of the text's tokens, each with this many alternatives, 0 to 20. */
	readonly topLogprobs?: number;
	/** The members of the body that `abilities.extra` names, as the client wrote them. */
	readonly extra?: JsonObject;
}

/** Plain text, any JSON object, or JSON that a schema describes. */
export type ChatFormat =
	| { readonly type: 'text' }
	| { readonly type: 'json' }
	| {
			readonly type: 'schema';
			readonly name: string;
			/** JSON Schema. */
			readonly schema: JsonObject;
			readonly isStrict: boolean;
	  };

/** A function that the model may ask the caller to run. */
export interface ChatTool {
	readonly name: string;
	readonly description?: string;
	/** JSON Schema of the arguments, an object. Absent: none. */
	readonly parameters?: JsonObject;
	readonly isStrict: boolean;
}

/** One message. The role `developer` becomes `system`; the older role `function` becomes `tool`. */
export type ChatMessage =
	| { readonly role: 'system'; readonly content: readonly TextPart[] }
	| { readonly role: 'user'; readonly name?: string; readonly content: readonly ChatPart[] }
	| {
			readonly role: 'assistant';
			/** Empty for a message that only calls tools. */
			readonly content: readonly TextPart[];
			readonly refusal?: string;
			readonly toolCalls: readonly ToolCall[];
	  }
	| { readonly role: 'tool'; readonly callId: string; readonly content: readonly TextPart[] };

/** A tool call of an earlier answer. */
export interface ToolCall {
	readonly id: string;
	readonly name: string;
	/** JSON text, as the model wrote it. */
	readonly arguments: string;
}

/** A part of a user message. */
export type ChatPart = TextPart | DocumentPart | ImagePart | AudioPart | FilePart;

/** Text. */
export interface TextPart {
	readonly type: 'text';
	readonly text: string;
}

/** A file whose text the plugin has read. A model that accepts only text uses `text`. */
export interface DocumentPart {
	readonly type: 'document';
	readonly filename: string;
	/** Detected from the content. */
	readonly mediaType: string;
	/** The document's text, framed by tags with the name of the file and its page numbers. */
	readonly text: string;
	/** The text of each page. Formats without pages have one page, numbered 1. */
	readonly pages: readonly { readonly page: number; readonly text: string }[];
	/** Whether the format has pages. */
	readonly hasPages: boolean;
	/** Number of pages of the whole document, including omitted pages. */
	readonly pageCount: number;
	/** Whether text was omitted because of `abilities.documentCharacters`. `text` then has a notice. */
	readonly isTruncated: boolean;
}

/** A picture that the plugin has checked. Only models with the ability `images` receive it. */
export interface ImagePart {
	readonly type: 'image';
	readonly detail: 'auto' | 'low' | 'high';
	/** The picture, or its URL for a model that fetches pictures. */
	readonly image: { readonly mediaType: string; readonly source: EncodedImage } | { readonly url: string };
}

/** Audio. */
export interface AudioPart {
	readonly type: 'audio';
	readonly format: 'wav' | 'mp3';
	readonly source: Uint8Array | { readonly path: string };
}

/** An unchanged file, for a model whose ability `files` lists its media type. */
export interface FilePart {
	readonly type: 'file';
	readonly filename: string;
	/** Detected from the content. */
	readonly mediaType: string;
	readonly source: Uint8Array | { readonly path: string };
}

/** A piece of the answer. Pieces arrive in order. */
export type ChatEvent =
	| {
			readonly type: 'text';
			readonly text: string;
			/** The tokens of this text, in the form of OpenAI's `logprobs.content`. */
			readonly logprobs?: readonly JsonObject[];
	  }
	/** The reasoning of the model before its answer. */
	| { readonly type: 'reasoning'; readonly text: string }
	/** The reason of a refusal, instead of text. */
	| { readonly type: 'refusal'; readonly text: string }
	/** A tool call. The first event of an `index` has `id` and `name`. Each event may add JSON text of the arguments. */
	| {
			readonly type: 'tool_call';
			/** Counts the calls of this answer from 0. */
			readonly index: number;
			readonly id?: string;
			readonly name?: string;
			readonly arguments?: string;
	  }
	/** One sentence about an option that was ignored. The client receives each once, at most 32 per answer. */
	| { readonly type: 'warning'; readonly message: string }
	/** The last event. Without it, the reason is `tool_calls` after calls, else `stop`. */
	| { readonly type: 'finish'; readonly reason: FinishReason; readonly usage?: ChatUsage };

/** Why an answer ended. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** Token counts. The plugin estimates them when the model reports none. */
export interface ChatUsage {
	readonly promptTokens: number;
	readonly completionTokens: number;
	readonly cachedTokens?: number;
	readonly reasoningTokens?: number;
}

/** The context of one call. */
export interface ChatRun {
	/**
	 * Aborts when the client disconnects, a stop sequence ends the answer, a timeout passes or the server stops. Pass it
	 * to everything that waits.
	 */
	readonly signal: AbortSignal;
	/** A 32-bit unsigned seed, equal for equal requests. Several answers to one request have successive seeds. */
	readonly seed: number;
	readonly log: Logger;
}

/** The abilities of a model. For a missing ability, the plugin converts the input or refuses the request. */
export interface ChatAbilities {
	/** The length of its context in tokens. A request for a longer answer is refused with 400. */
	readonly contextTokens?: number | undefined;
	/**
	 * Maximum characters of documents in one request; absent: no limit. Longer documents are cut after a page, with a
	 * notice for the model and a warning for the client.
	 */
	readonly documentCharacters?: number | undefined;
	/** Media types of files that the model reads itself. They arrive as `FilePart`. */
	readonly files?: readonly string[];
	/** Whether it accepts pictures. False, the default: a note replaces each picture, and the client gets a warning. */
	readonly images?: boolean;
	/**
	 * Whether it accepts audio. False, the default: a transcription model of the server transcribes it, and the text
	 * arrives as a `DocumentPart`; without one, a request with audio is refused with 400.
	 */
	readonly audio?: boolean;
	/** Whether it calls tools; true by default. False: a request with tools is refused with 400. */
	readonly tools?: boolean;
	/** The JSON that it guarantees: none, any object or, by default, JSON of a schema. Requests for more get 400. */
	readonly json?: 'none' | 'json' | 'schema';
	/** Whether it reports log probabilities. False, the default: the answer has none, and the client gets a warning. */
	readonly logprobs?: boolean;
	/**
	 * Names of members of the body that the model accepts and the plugin does not interpret. They arrive in
	 * `ChatRequest.extra`. Other such members cause a warning for the client.
	 */
	readonly extra?: readonly string[];
}

/**
 * A model that answers messages.
 *
 * `stream` is called once per answer and yields at least one event of text, refusal or a tool call. An error before the
 * first event decides the status of the response. Throw `invalidValue(param, message)` for an unacceptable request.
 */
export interface ChatModel extends Unloadable {
	readonly apiVersion: 1;
	readonly abilities?: ChatAbilities;
	stream(request: ChatRequest, run: ChatRun): AsyncIterable<ChatEvent>;
	/**
	 * For a model whose upstream has the same wire format: the request that passes this body through, so that the client
	 * receives the bytes of the upstream's response. Undefined: this body must be translated.
	 */
	forward?(raw: RawBody): ForwardRequest | undefined;
}

/** The family of chat models. */
export const chatModels = defineModelKind<ChatModel>(
	'chat',
	{
		apiVersion: 1,
		functions: { stream: 'required', forward: 'optional', unload: 'optional' },
		abilities: {
			contextTokens: 'number',
			documentCharacters: 'number',
			files: 'array',
			images: 'boolean',
			audio: 'boolean',
			tools: 'boolean',
			json: 'string',
			logprobs: 'boolean',
			extra: 'array',
		},
	},
	({
		abilities: { contextTokens, files, images = false, audio = false, tools = true, json, logprobs = false } = {},
	}) => ({
		...(contextTokens === undefined ? {} : { context_tokens: contextTokens }),
		...(files ? { files: [...files] } : {}),
		images,
		audio,
		tools,
		...(json === undefined ? {} : { json }),
		logprobs,
	}),
);
