import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PlinthError, plinthError } from '../contract/errors/coded-error.ts';
import type { Principal } from '../contract/ports/authenticator.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { httpLimits } from './limits.ts';
import { watchPace } from './pace.ts';

/** What our own listener tells about a request. */
export interface ListenerHooks {
	/** Sends `100 Continue`; undefined when the client does not wait for it. */
	readonly invite: (() => void) | undefined;
	/** To be called once, when the response is closed. */
	readonly closed: () => void;
}

/** What one request takes from the limits of the server. */
export interface RequestSlot {
	/** Counts a body of `declared` bytes; undefined: unknown. Throws `E_OVERLOADED` when there is no room for it. */
	reserve(declared: number | undefined): void;
	/** Counts the answer as an event stream from here on. Throws `E_TENANT_BUSY` or `E_OVERLOADED`. */
	stream(): void;
	/** Gives everything back. It may be called again. */
	leave(): void;
}

/** One request and its answer, from the first byte to the closed response. */
export class Exchange {
	readonly req: IncomingMessage;
	readonly res: ServerResponse;
	readonly clock: Clock;
	readonly requestId: string;
	/** Milliseconds since the Unix epoch. */
	readonly startedAt: number;
	/** Resolves when the response has been sent or its connection is gone. */
	readonly closed: Promise<void>;
	/** The path template of the route; undefined when there is none. */
	route: string | undefined;
	/** The error that the client gets. */
	refusal: PlinthError | undefined;
	/** Paths of members of the body that the route does not know. */
	unknownMembers: readonly string[] | undefined;
	/** Whether JSON may be compressed, if the client asks for it. */
	compresses = false;
	principal: Principal | undefined;
	/** Whether the host has named the principal, by no API key. */
	isFromHost = false;
	/** The model that answers. */
	model: string | undefined;
	/** The tokens that the model says it has used. */
	usage: Readonly<Record<string, number>> | undefined;
	/** The position of this exchange in the list of the pipeline. */
	index = -1;
	/** What this request takes from the limits; undefined for public routes. */
	slot: RequestSlot | undefined;
	/** Whether the signal has aborted, and why. */
	aborted = false;
	reason: unknown;
	/** Whether the client left before the answer was finished. */
	left = false;
	#controller: AbortController | undefined;
	readonly #onAbort: (() => void)[] = [];
	/** The number of work items that `waitFor` got and that have not settled. */
	#pending = 0;
	#onIdle = () => {};
	#cancelDeadline = () => {};
	#endPace = () => {};
	#invite: (() => void) | undefined;
	readonly #log: Logger;
	#child: Logger | undefined;
	#cut = false;
	#waitsForBody = false;
	#isAllSent = false;

	constructor(req: IncomingMessage, res: ServerResponse, clock: Clock, log: Logger, hooks?: ListenerHooks) {
		this.req = req;
		this.res = res;
		this.clock = clock;
		this.startedAt = clock.now();
		this.requestId = requestIdOf(req);
		this.#log = log;
		this.#invite = hooks?.invite;
		this.closed = this.#watch(hooks?.closed);
	}

	/** Aborts when the client leaves, the deadline passes or the server stops. The reason tells which. */
	get signal(): AbortSignal {
		// Most requests need none.
		if (!this.#controller) {
			this.#controller = new AbortController();
			// A handler may add one listener per output; ten would print a warning.
			setMaxListeners(0, this.#controller.signal);
			if (this.aborted) this.#controller.abort(this.reason);
		}
		return this.#controller.signal;
	}

	/** A logger that names the request. */
	get log(): Logger {
		this.#child ??= this.#log.child({ req_id: this.requestId });
		return this.#child;
	}

	/** Whether an answer that had begun was broken off. */
	get isCut(): boolean {
		return this.#cut && this.res.headersSent;
	}

	/** Whether the client waits to be told to send its body. */
	get isBodyHeldBack(): boolean {
		return this.#invite !== undefined;
	}

	/** Aborts the signal after `ms` milliseconds. */
	setDeadline(ms: number): void {
		this.clearDeadline();
		this.#cancelDeadline = this.clock.after(ms, () => {
			// A body that never came is the client's fault, everything after it is ours.
			const code = this.#waitsForBody ? 'E_REQUEST_TIMEOUT' : 'E_DEADLINE';
			this.abort(plinthError(code, { message: `The request was not finished within ${ms / 1000} seconds.` }));
		});
	}

	/** Removes the deadline: what remains is bounded by the client's reading. */
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
	 * Asks the client for its body, which it may hold back with `Expect: 100-continue`. Throws `E_OVERLOADED` when
	 * there is no room for it. A body that comes too slowly ends the exchange with `E_REQUEST_TIMEOUT`.
	 */
	inviteBody(): void {
		const length = this.req.headers['content-length'];
		this.slot?.reserve(length === undefined ? undefined : Number(length));
		this.#waitsForBody = true;
		// Most short bodies have come with their head.
		if (!this.req.complete) {
			this.#endPace = watchPace(this.req, this.clock, () => this.abort(plinthError('E_REQUEST_TIMEOUT')));
		}
		this.#invite?.();
		this.#invite = undefined;
	}

	/** To be called when the body has been read. */
	bodyRead(): void {
		this.#waitsForBody = false;
		this.#endPace();
	}

	/** To be called when the system has all promised bytes: a client may then close before the response ends. */
	allSent(): void {
		this.#isAllSent = true;
	}

	/** Closes the connection in the middle of an answer that cannot be finished. */
	cut(): void {
		this.#cut = true;
		// For the log: an answer that could not begin was no success.
		if (!this.res.headersSent) this.res.statusCode = 500;
		this.res.destroy();
	}

	/** Counts work that may outlast the answer as a part of the exchange. Its result is ignored. */
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
		this.#endPace();
		if (this.#pending === 0) return;
		// A handler that never ends must not keep the slot of its tenant.
		const cancelTimer = this.clock.after(httpLimits.abandonMs, () => {
			this.log.warn({ route: this.route ?? 'unmatched' }, 'a handler goes on although nobody waits for it');
			this.slot?.leave();
		});
		await new Promise<void>((resolve) => {
			this.#onIdle = resolve;
		});
		cancelTimer();
	}

	/**
	 * No event of a response gets a second listener, and Node has one for `finish`. Two are kept in an array, which V8
	 * allocates among its old objects, where it keeps the whole request alive until the next full collection.
	 */
	#watch(closed?: () => void): Promise<void> {
		const { res } = this;
		// Writing to a client that has just left is no failure. Without a listener it would end the process.
		res.on('error', () => {});
		return new Promise((resolve) => {
			const close = () => {
				closed?.();
				if (!res.writableFinished && !this.#isAllSent) {
					this.left = !this.#cut;
					this.abort(new DOMException('The client has left.', 'AbortError'));
				}
				resolve();
			};
			// A host may hand over a response whose client is gone already.
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

/** A fresh request id. */
export function newRequestId(): string {
	return `req_${randomUUID().replaceAll('-', '')}`;
}

const none: readonly string[] = [];

/**
 * All values of a header in their order; `name` in lower case. Node's `headers` keeps one value of some headers and
 * joins others, and its `headersDistinct` copies every header of the request.
 */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): readonly string[] {
	let values: string[] | undefined;
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const given = rawHeaders[at] as string;
		if (given.length !== name.length || given.toLowerCase() !== name) continue;
		values ??= [];
		values.push(rawHeaders[at + 1] as string);
	}
	return values ?? none;
}
