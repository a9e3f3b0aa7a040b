import type { PlinthError } from '../errors/coded-error.ts';

/**
 * What a request for an upstream is sent through: a dispatcher of undici (`Agent`, `Pool`), or anything that behaves like its `dispatch` with
 * handlers of version 8.
 */
export interface ForwardDispatcher {
	/** Whether nobody but the handler sees the memory of a chunk any more, as with undici: then it is freed as soon as it has been sent. Absent: chunks are lent. */
	readonly givesMemory?: boolean;
	dispatch(options: ForwardDispatch, handler: ForwardHandler): boolean;
}

/** One request, as `dispatch` takes it. */
export interface ForwardDispatch {
	/** Scheme, host and port. */
	readonly origin: string;
	readonly path: string;
	readonly method: 'POST';
	/** Names and values in turns. */
	readonly headers: readonly string[];
	readonly body: Uint8Array;
}

/** The reins of a response. */
export interface ForwardController {
	abort(reason: Error): void;
	pause(): void;
	resume(): void;
}

/**
 * Who is told of a response while it comes. Each method is called by the dispatcher, in this order; after an error nothing follows. The memory of a chunk is lent, unless the dispatcher gives it away: it is the handler's until
 * `onResponseData` returns, and where that has paused the response, until it resumes.
 */
export interface ForwardHandler {
	onRequestStart(controller: ForwardController, context: unknown): void;
	onResponseStart(
		controller: ForwardController,
		status: number,
		headers: Readonly<Record<string, string | string[] | undefined>>,
		message?: string,
	): void;
	onResponseData(controller: ForwardController, chunk: Buffer): void;
	onResponseEnd(controller: ForwardController, trailers: unknown): void;
	onResponseError(controller: ForwardController, error: Error): void;
}

/** A request of a client that an upstream can be given as it is, and what to do with its answer. */
export interface ForwardRequest {
	readonly dispatcher: ForwardDispatcher;
	readonly origin: string;
	readonly path: string;
	/** Names in lower case and values in turns, credentials included; the dispatcher adds the length. */
	readonly headers: readonly string[];
	readonly body: Uint8Array;
	/** Milliseconds until the answer has begun, and between two pieces of it. */
	readonly quietMs: number;
	/** Whether a successful answer of this media type (lower case, without parameters), and of this length in bytes where it is told, is one for the client. */
	accepts(mediaType: string, length?: number): boolean;
	/** The error for an answer that is none: another status than 2xx. `body` is its beginning, 65,536 bytes at most. */
	refused(status: number, headers: Readonly<Record<string, string>>, body: Buffer): PlinthError;
	/** The error for a connection that was lost before the answer began. */
	lost(cause: Error): PlinthError;
	/** The error for an upstream that is silent for too long before its answer has begun. */
	silent(): PlinthError;
	/** The error for a successful answer of a media type that is not accepted. */
	unfit(mediaType: string): PlinthError;
	/** Asked behind one of these errors: whether the ordinary way may ask the upstream again at once. Absent: it may. */
	mayRepeat?(): boolean;
}

/** A JSON body as it came, for whoever may pass it on unread. */
export interface RawBody {
	readonly bytes: Buffer;
	/** The text under `model`, an id or an alias. */
	readonly model: string;
	/** Names of all members of the outermost object, in order; no name twice. */
	readonly names: readonly string[];
	/** What the bytes say, unchecked by any schema; undefined for more than 262,144 bytes. */
	readonly value: Readonly<Record<string, unknown>> | undefined;
	/**
	 * For bodies that are not parsed: whether one of the words stands in it, at any depth, as the name of a member or as the value of a member `type`. Names with
	 * escapes count as any word.
	 */
	mentions(words: readonly string[]): boolean;
	/** The same bytes with another model's name in place of the client's, and one outermost member, if it is there, under the name that the upstream knows it by. */
	withModel(name: string, renamed?: readonly [from: string, to: string]): Buffer;
}
