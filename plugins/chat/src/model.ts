import { defineModelKind, type ForwardRequest, type JsonObject, type Logger, type RawBody } from '@plinth/core';
import type { EncodedImage } from '@plinth/toolkit';

/**
 * What a client asks for, in domain terms: one answer. For several (`n`) the plugin calls again with successive
 * seeds.
 */
export interface ChatRequest {
	/** At least one, oldest first. */
	readonly messages: readonly ChatMessage[];
	/** What the model may call. Empty: nothing. */
	readonly tools: readonly ChatTool[];
	/** `required`: call at least one; a name: call that one. */
	readonly toolChoice: 'none' | 'auto' | 'required' | { readonly name: string };
	/** Whether several calls may be made in one answer. */
	readonly parallelToolCalls: boolean;
	/** What the answer's text must be. */
	readonly format: ChatFormat;
	/** Most tokens of the answer; absent: the model decides. Reaching it ends the answer with `length`. */
	readonly maxTokens?: number;
	/** 0 to 2. */
	readonly temperature?: number;
	/** 0 to 1. */
	readonly topP?: number;
	/** -2 to 2. */
	readonly presencePenalty?: number;
	/** -2 to 2. */
	readonly frequencyPenalty?: number;
	/**
	 * At most 4; the plugin cuts the text before the one that is complete first, whether the model heeds them or not.
	 */
	readonly stop: readonly string[];
	/** How much the model is to think: `minimal`, `low`, `medium`, `high`… as the client wrote it. */
	readonly effort?: string;
	/** The caller's own name for its user. */
	readonly user?: string;
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

/** One turn. `developer` messages arrive as `system`, those of the older role `function` as `tool`. */
export type ChatMessage =
	| { readonly role: 'system'; readonly content: readonly TextPart[] }
	| { readonly role: 'user'; readonly name?: string; readonly content: readonly ChatPart[] }
	| {
			readonly role: 'assistant';
			/** Empty for a turn that only calls tools. */
			readonly content: readonly TextPart[];
			readonly refusal?: string;
			readonly toolCalls: readonly ToolCall[];
	  }
	| { readonly role: 'tool'; readonly callId: string; readonly content: readonly TextPart[] };

/** A call of a tool that an earlier answer made. */
export interface ToolCall {
	readonly id: string;
	readonly name: string;
	/** JSON text, as the model wrote it. */
	readonly arguments: string;
}

/** A part of what a user says. */
export type ChatPart = TextPart | DocumentPart | ImagePart | AudioPart | FilePart;

/** Words. */
export interface TextPart {
	readonly type: 'text';
	readonly text: string;
}

/** A file whose text the plugin has read. A model that knows only text takes `text`. */
export interface DocumentPart {
	readonly type: 'document';
	readonly filename: string;
	/** Decided by content. */
	readonly mediaType: string;
	/** The document's text in a frame that names the file and marks its pages. */
	readonly text: string;
	/** The same page by page; one page numbered 1 for formats without pages. */
	readonly pages: readonly { readonly page: number; readonly text: string }[];
	/** Whether the format has pages. */
	readonly hasPages: boolean;
	/** Pages of the whole document, also of those that did not fit. */
	readonly pageCount: number;
	/** Text was left out because the model takes no more; `text` says so too. */
	readonly isTruncated: boolean;
}

/** A picture, checked by the plugin: a model gets it only when its abilities say that it reads pictures. */
export interface ImagePart {
	readonly type: 'image';
	readonly detail: 'auto' | 'low' | 'high';
	/** The picture, or where a model that fetches pictures itself finds it. */
	readonly image: { readonly mediaType: string; readonly source: EncodedImage } | { readonly url: string };
}

/** Sound. */
export interface AudioPart {
	readonly type: 'audio';
	readonly format: 'wav' | 'mp3';
	readonly source: Uint8Array | { readonly path: string };
}

/** A file as it was sent, for a model whose abilities say that it reads this type itself. */
export interface FilePart {
	readonly type: 'file';
	readonly filename: string;
	/** Decided by content. */
	readonly mediaType: string;
	readonly source: Uint8Array | { readonly path: string };
}

/** A piece of the answer, in order. */
export type ChatEvent =
	| { readonly type: 'text'; readonly text: string }
	/** What the model thinks before it answers. */
	| { readonly type: 'reasoning'; readonly text: string }
	/** Why the model will not answer; comes instead of text. */
	| { readonly type: 'refusal'; readonly text: string }
	/**
	 * A call of a tool: the first event of an `index` has `id` and `name`, each has more of the arguments' JSON text.
	 */
	| {
			readonly type: 'tool_call';
			/** Counts the calls of this answer from 0. */
			readonly index: number;
			readonly id?: string;
			readonly name?: string;
			readonly arguments?: string;
	  }
	/** What the model could not honour, one sentence. The caller reads each once, and 32 of an answer at most. */
	| { readonly type: 'warning'; readonly message: string }
	/** The last event. Absent: the plugin finishes with `tool_calls` after calls, else with `stop`. */
	| { readonly type: 'finish'; readonly reason: FinishReason; readonly usage?: ChatUsage };

/** Why an answer ended. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** Tokens. The plugin estimates them where a model says nothing. */
export interface ChatUsage {
	readonly promptTokens: number;
	readonly completionTokens: number;
	readonly cachedTokens?: number;
	readonly reasoningTokens?: number;
}

/** The surroundings of one call. */
export interface ChatRun {
	/**
	 * Aborts when the client leaves, the answer is cut at a stop sequence, the model's time or the deadline passes or
	 * the server stops. Every await honours it.
	 */
	readonly signal: AbortSignal;
	/** A 32-bit unsigned seed, equal for equal requests. Several answers to one request have successive ones. */
	readonly seed: number;
	readonly log: Logger;
}

/** What a model can do; what it cannot, the plugin does or refuses. */
export interface ChatAbilities {
	/**
	 * Most characters of documents in one request; absent: no bound. What is beyond is cut at a page, and both the
	 * model and the caller are told.
	 */
	readonly documentCharacters?: number;
	/** Media types that the model reads itself: they arrive as `FilePart`. */
	readonly files?: readonly string[];
	/**
	 * Whether it looks at pictures. False, the default: each becomes a text part that says that there was one, and the
	 * caller is warned.
	 */
	readonly images?: boolean;
	/** Whether it hears sound. False, the default: a request with sound is refused with 400. */
	readonly audio?: boolean;
	/**
	 * Whether it calls tools; true unless said otherwise. A request with tools for one that does not is refused with
	 * 400.
	 */
	readonly tools?: boolean;
	/**
	 * Which JSON it can promise: none, `json` objects, or what a `schema` describes; `schema` unless said otherwise.
	 * More is refused with 400.
	 */
	readonly json?: 'none' | 'json' | 'schema';
}

/**
 * A model that answers messages.
 *
 * `stream` is called once per answer and yields at least one event of text, refusal or a tool call. What it throws
 * before its first event becomes the answer's status; throw `invalidValue(param, message)` for what it cannot take.
 */
export interface ChatModel {
	readonly apiVersion: 1;
	readonly abilities?: ChatAbilities;
	stream(request: ChatRequest, run: ChatRun): AsyncIterable<ChatEvent>;
	/**
	 * For a model whose upstream speaks this wire format: the request that passes this chat completion through, so that
	 * the response reaches the client byte for byte. Undefined: this body must be translated.
	 */
	forward?(raw: RawBody): ForwardRequest | undefined;
}

/** The family of chat models. */
export const chatModels = defineModelKind<ChatModel>('chat', {
	apiVersion: 1,
	functions: { stream: 'required', forward: 'optional' },
	abilities: {
		documentCharacters: 'number',
		files: 'array',
		images: 'boolean',
		audio: 'boolean',
		tools: 'boolean',
		json: 'string',
	},
});
