import type { PlinthError } from '../errors/coded-error.ts';

/** What a request goes to an upstream through: undici's `Agent` or `Pool`, or anything with such a `dispatch`. */
export interface ForwardDispatcher {
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

/** Controls a response while it comes. */
export interface ForwardController {
	abort(reason: Error): void;
	pause(): void;
	resume(): void;
}

/** What a dispatcher calls while a response comes, in this order; nothing follows an error. Chunks are never reused. */
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
	onResponseError(controller: ForwardController | undefined, error: Error): void;
}

/** A client's request as an upstream is sent it, and what to do with the response. */
export interface ForwardRequest {
	readonly dispatcher: ForwardDispatcher;
	readonly origin: string;
	readonly path: string;
	/** Names in lower case and values in turns, credentials included; the dispatcher adds the length. */
	readonly headers: readonly string[];
	readonly body: Uint8Array;
	/** Milliseconds that the upstream may be silent, before its response and within it. Noticed up to a second later. */
	readonly quietMs: number;
	/** Whether the client may get a successful response of this media type (lower case) and stated length in bytes. */
	accepts(mediaType: string, length?: number): boolean;
	/** The error for a response that is no success. `body` is its beginning, 65,536 bytes at most. */
	refused(status: number, headers: Readonly<Record<string, string>>, body: Buffer): PlinthError;
	/** The error for a connection that was lost before the response began. */
	lost(cause: Error): PlinthError;
	/** The error for an upstream that was silent for too long before its response began. */
	silent(): PlinthError;
	/** The error for a successful response that is not accepted. */
	unfit(mediaType: string): PlinthError;
	/** Asked after one of these errors: whether the request may be sent again at once, translated. Absent: it may. */
	mayRepeat?(): boolean;
	/**
	 * How many bytes of `pending`, a part of an event stream in Latin-1, may go to the client now; all unless set. The
	 * others come again with more behind them. Throws to cut the answer off when the upstream reports a failure in it.
	 */
	sendable?(pending: string): number;
	/** The counts for the request's log line, out of the end of the response: its last 4,096 bytes or more, as Latin-1. */
	usage?(end: string): Readonly<Record<string, number>> | undefined;
}

/** A client's JSON body as it came. */
export interface RawBody {
	readonly bytes: Buffer;
	/** The text under `model`, an id or an alias. */
	readonly model: string;
	/** Names of the outermost members. No object in the body gives a name twice. */
	readonly names: readonly string[];
	/** What the bytes say, unchecked by any schema. */
	readonly value: Readonly<Record<string, unknown>>;
	/** The same bytes with another name of the model, and with one outermost member, if present, renamed. */
	withModel(name: string, renamed?: readonly [from: string, to: string]): Buffer;
}
