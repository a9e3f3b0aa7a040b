import type { PlinthError } from '../errors/coded-error.ts';

/** Sends requests to an upstream: undici's `Agent` or `Pool`, or any object with such a `dispatch`. */
export interface ForwardDispatcher {
	dispatch(options: ForwardDispatch, handler: ForwardHandler): boolean;
}

/** One request, the options of `dispatch`. */
export interface ForwardDispatch {
	/** Scheme, host and port. */
	readonly origin: string;
	readonly path: string;
	readonly method: 'POST';
	/** Alternating names and values. */
	readonly headers: readonly string[];
	readonly body: Uint8Array;
}

/** Controls a response while it is received. */
export interface ForwardController {
	abort(reason: Error): void;
	pause(): void;
	resume(): void;
}

/** Receives the parts of a response, in this order; nothing follows an error. The memory of chunks is never reused. */
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

/** A client's request in the form that is sent to an upstream, and the handling of the response. */
export interface ForwardRequest {
	readonly dispatcher: ForwardDispatcher;
	readonly origin: string;
	readonly path: string;
	/** Alternating names in lower case and values, with credentials; the dispatcher adds the length. */
	readonly headers: readonly string[];
	readonly body: Uint8Array;
	/** Maximum milliseconds without data from the upstream, before and in its response. Detected up to a second late. */
	readonly quietMs: number;
	/** Whether the client may receive a successful response of this media type (lower case) and declared bytes. */
	accepts(mediaType: string, length?: number): boolean;
	/** The error for an unsuccessful response. `body` is its beginning, 65,536 bytes at most. */
	refused(status: number, headers: Readonly<Record<string, string>>, body: Buffer): PlinthError;
	/** The error for a connection that was lost before the response began. */
	lost(cause: Error): PlinthError;
	/** The error for an upstream that sent nothing for too long before its response began. */
	silent(): PlinthError;
	/** The error for a successful response that is not accepted. */
	unfit(mediaType: string): PlinthError;
	/** Called after one of these errors: whether the request may be sent again at once, translated. Absent: it may. */
	mayRepeat?(): boolean;
	/**
	 * How many bytes of `pending`, a part of an event stream in Latin-1, may be sent now; absent: all. The rest is passed
	 * again with the bytes that follow. Throws to end the response when the upstream reports a failure in it.
	 */
	sendable?(pending: string): number;
	/** The counts for the request's log line, from the last 4,096 or more bytes of the response, as Latin-1. */
	usage?(end: string): Readonly<Record<string, number>> | undefined;
}

/** A client's JSON body, unchanged. */
export interface RawBody {
	readonly bytes: Buffer;
	/** The value of `model`, an id or an alias. */
	readonly model: string;
	/** Names of the top-level members. No object in the body has a duplicate name. */
	readonly names: readonly string[];
	/** The parsed body, not validated by any schema. */
	readonly value: Readonly<Record<string, unknown>>;
	/** The same bytes with another model name, and with one top-level member, if present, renamed. */
	withModel(name: string, renamed?: readonly [from: string, to: string]): Buffer;
}
