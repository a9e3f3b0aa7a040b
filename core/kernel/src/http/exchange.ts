import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PlinthError, plinthError } from '../contract/errors/coded-error.ts';
import type { Principal } from '../contract/ports/authenticator.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { httpLimits } from './limits.ts';
import { watchPace } from './pace.ts';

export interface ListenerHooks {
	/** Sends `100 Continue`; undefined when the client does not wait for it. */
	readonly sendContinue: (() => void) | undefined;
	readonly onClose: () => void;
}

/** The share of one request in the limits of the server. */
export interface RequestSlot {
	/** Counts a body of `declared` bytes; undefined: unknown. Throws `E_OVERLOADED` when there is no room for it. */
	reserve(declared: number | undefined): void;
	/** Counts the response as an event stream from here on. Throws `E_TENANT_BUSY` or `E_OVERLOADED`. */
	countAsStream(): void;
	/** Releases everything. It may be called more than once. */
	release(): void;
}

/** One request and its response, from the first byte to the closed response. */
export class Exchange {
	readonly req: IncomingMessage;
	readonly res: ServerResponse;
	readonly clock: Clock;
	readonly requestId: string;
	/** Milliseconds since the Unix epoch. */
	readonly startedAt: number;
	/** Resolves when the response has been sent or its connection has closed. */
	readonly closed: Promise<void>;
	/** The path template of the route; undefined when there is none. */
	route: string | undefined;
	refusal: PlinthError | undefined;
	unknownMembers: readonly string[] | undefined;
	/** Whether JSON may be compressed, if the client accepts that. */
	compresses = false;
	principal: Principal | undefined;
	/** Whether the host has identified the principal, without an API key. */
	isFromHost = false;
	model: string | undefined;
	/** The token counts that the model has reported. */
	usage: Readonly<Record<string, number>> | undefined;
	index = -1;
	/** The share of this request in the limits; undefined for public routes. */
	slot: RequestSlot | undefined;
	/** Whether the body is being read. */
	waitsForBody = false;
	aborted = false;
	reason: unknown;
	/** Whether the client disconnected before the response was finished. */
	hasDisconnected = false;
	#controller: AbortController | undefined;
	readonly #onAbort: (() => void)[] = [];
	/** The number of promises of `waitFor` that have not settled. */
	#pending = 0;
	#onIdle = () => {};
	#cancelDeadline = () => {};
	#stopPaceWatch = () => {};
	#sendContinue: (() => void) | undefined;
	readonly #log: Logger;
	#child: Logger | undefined;
	#cut = false;
	#isAllSent = false;

	constructor(req: IncomingMessage, res: ServerResponse, clock: Clock, log: Logger, hooks?: ListenerHooks) {
		this.req = req;
		this.res = res;
		this.clock = clock;
		this.startedAt = clock.now();
		this.requestId = requestIdOf(req);
		this.#log = log;
		this.#sendContinue = hooks?.sendContinue;
		this.closed = this.#watchClose(hooks?.onClose);
	}

	/** Aborts when the client disconnects, the deadline passes or the server stops. The reason says which. */
	get signal(): AbortSignal {
		// Created on demand, because most requests need none.
		if (!this.#controller) {
			this.#controller = new AbortController();
			// A handler may add one listener per output; more than ten would print a warning.
			setMaxListeners(0, this.#controller.signal);
			if (this.aborted) this.#controller.abort(this.reason);
		}
		return this.#controller.signal;
	}

	get log(): Logger {
		this.#child ??= this.#log.child({ req_id: this.requestId });
		return this.#child;
	}

	/** Whether the connection was closed in the middle of the response. */
	get isCut(): boolean {
		return this.#cut && this.res.headersSent;
	}

	get isAwaitingContinue(): boolean {
		return this.#sendContinue !== undefined;
	}

	setDeadline(ms: number): void {
		this.clearDeadline();
		this.#cancelDeadline = this.clock.after(ms, () => {
			// Until the body is complete, the client is too slow; after that, the server is.
			const code = this.waitsForBody ? 'E_REQUEST_TIMEOUT' : 'E_DEADLINE';
			this.abort(plinthError(code, { message: `The request was not finished within ${ms / 1000} seconds.` }));
		});
	}

	/** Removes the deadline. From then on only the client's reading takes time, which `stallMs` limits. */
	clearDeadline(): void {
		this.#cancelDeadline();
		this.#cancelDeadline = () => {};
	}

	/** Aborts the signal with an error that the client may see. The first reason counts. */
	abort(reason: PlinthError | DOMException): void {
		if (this.aborted) return;
		this.aborted = true;
		this.reason = reason;
		this.#controller?.abort(reason);
		// A callback may remove others.
		for (let stop = this.#onAbort.shift(); stop; stop = this.#onAbort.shift()) stop();
	}

	/** Calls `stop` once when the exchange is aborted, unless the returned function is called before. */
	onAbort(stop: () => void): () => void {
		this.#onAbort.push(stop);
		return () => {
			const at = this.#onAbort.indexOf(stop);
			if (at >= 0) this.#onAbort.splice(at, 1);
		};
	}

	/** Settles as `work` does, or rejects with the reason of the abort if that comes first. */
	orAbort<T>(work: PromiseLike<T>): Promise<T> {
		return new Promise((resolve, reject) => {
			const stop = () => reject(this.reason);
			if (this.aborted) stop();
			const remove = this.onAbort(stop);
			work.then(resolve, reject).then(remove);
		});
	}

	/**
	 * Starts the reading of the body, for which the client may wait with `Expect: 100-continue`. Throws `E_OVERLOADED`
	 * when there is no room for it. A body that arrives too slowly aborts the exchange with `E_REQUEST_TIMEOUT`.
	 */
	acceptBody(): void {
		const length = this.req.headers['content-length'];
		this.slot?.reserve(length === undefined ? undefined : Number(length));
		this.waitsForBody = true;
		// Most short bodies have arrived with their head.
		if (!this.req.complete) {
			this.#stopPaceWatch = watchPace(this.req, this.clock, () => this.abort(plinthError('E_REQUEST_TIMEOUT')));
		}
		this.#sendContinue?.();
		this.#sendContinue = undefined;
	}

	markBodyRead(): void {
		this.waitsForBody = false;
		this.#stopPaceWatch();
	}

	/** To be called when the system has all bytes of the response: the client may then close before it ends. */
	markAllSent(): void {
		this.#isAllSent = true;
	}

	/** Closes the connection, because the response cannot be finished. */
	cut(): void {
		this.#cut = true;
		// For the log: a response that has not started is not a success.
		if (!this.res.headersSent) this.res.statusCode = 500;
		this.res.destroy();
	}

	/** Makes the exchange last until `work` has settled, which may be after the response. Its result is ignored. */
	waitFor(work: Promise<unknown>): void {
		this.#pending += 1;
		const done = () => {
			this.#pending -= 1;
			if (this.#pending === 0) this.#onIdle();
		};
		work.then(done, done);
	}

	/** Resolves when the response is closed and the work of `waitFor` has settled. */
	async settled(): Promise<void> {
		await this.closed;
		this.clearDeadline();
		this.#stopPaceWatch();
		if (this.#pending === 0) return;
		// A handler that never ends must not keep the slot of its tenant.
		const cancelTimer = this.clock.after(httpLimits.abandonMs, () => {
			this.log.warn({ route: this.route ?? 'unmatched' }, 'a handler continues although its request has ended');
			this.slot?.release();
		});
		await new Promise<void>((resolve) => {
			this.#onIdle = resolve;
		});
		cancelTimer();
	}

	/**
	 * Adds no second listener to any event of the response; `finish` has one of Node's. Node keeps two listeners in an
	 * array, which V8 allocates in its old space, where it keeps the whole request alive until the next full collection.
	 */
	#watchClose(onClose?: () => void): Promise<void> {
		const { res } = this;
		// Writing to a client that has just disconnected is no failure. Without a listener it would end the process.
		res.on('error', () => {});
		return new Promise((resolve) => {
			const close = () => {
				onClose?.();
				if (!res.writableFinished && !this.#isAllSent) {
					this.hasDisconnected = !this.#cut;
					this.abort(new DOMException('The client has disconnected.', 'AbortError'));
				}
				resolve();
			};
			// A host may pass a response whose client has disconnected already.
			if (res.destroyed) queueMicrotask(close);
			// Not `once`, which allocates a bound function and a record per request.
			else res.on('close', close);
		});
	}
}

const goodRequestId = /^[A-Za-z0-9._-]{1,128}$/;

function requestIdOf(req: IncomingMessage): string {
	const sent = req.headers['x-request-id'];
	return typeof sent === 'string' && goodRequestId.test(sent) ? sent : newRequestId();
}

export function newRequestId(): string {
	return `req_${randomUUID().replaceAll('-', '')}`;
}

const noValues: readonly string[] = [];

/**
 * All values of a header in their order; `name` in lower case. Node's `headers` keeps one value of some headers and
 * joins others, and its `headersDistinct` copies every header of the request.
 */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): readonly string[] {
	let values: string[] | undefined;
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const header = rawHeaders[at] as string;
		if (header.length !== name.length || header.toLowerCase() !== name) continue;
		values ??= [];
		values.push(rawHeaders[at + 1] as string);
	}
	return values ?? noValues;
}

let waiting: (() => void)[] = [];

/**
 * Calls `write` after all input of this turn of the event loop has been read. Reads and writes then run in batches: a
 * local client wakes up once for several responses, and the code stays in the processor's cache. At 32 connections this
 * saves a fifth of the CPU of a request (`npm run bench -- gateway`, row `chat`).
 */
export function atEndOfTick(write: () => void): void {
	if (waiting.push(write) === 1) setImmediate(writeAll);
}

function writeAll(): void {
	const writes = waiting;
	waiting = [];
	let startedCount = 0;
	try {
		for (const write of writes) {
			startedCount += 1;
			write();
		}
	} finally {
		// An exception is a bug in one write. The remaining writes belong to other clients.
		for (const write of writes.slice(startedCount)) atEndOfTick(write);
	}
}
