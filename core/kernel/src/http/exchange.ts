import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { orStop } from '../contract/abort.ts';
import { type PlinthError, plinthError } from '../contract/errors/coded-error.ts';
import type { Principal } from '../contract/ports/authenticator.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { requestIdOf } from './gate/request-id.ts';
import { httpLimits } from './limits.ts';
import { watchPace } from './pace.ts';

/** What our own listener tells of a request. */
export interface ListenerHooks {
	/** Sends `100 Continue`; undefined when the client does not wait for that. */
	readonly invite: (() => void) | undefined;
	/** To be called once, when the response is closed. */
	readonly closed: () => void;
}

/** What one request takes up of the limits; given back by `leave`. */
export interface RequestSlot {
	/**
	 * Counts a body, or a file that is brought besides, whose length may be unknown. Throws `E_OVERLOADED` when there
	 * is no room for it.
	 */
	reserve(declared: number | undefined): void;
	/** Says that the answer is an event stream from here on. Throws `E_TENANT_BUSY` or `E_OVERLOADED`. */
	stream(): void;
	/** Gives everything back. Harmless when repeated. */
	leave(): void;
}

/** What an exchange needs from the server. */
export interface ExchangeOptions {
	readonly clock: Clock;
	readonly log: Logger;
	/** Undefined when the request came another way than through our listener. */
	readonly hooks: ListenerHooks | undefined;
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
	/** The path template of the route, which the log has in place of the path; undefined when there is none. */
	route: string | undefined;
	principal: Principal | undefined;
	/** The model that answers, where one does. */
	model: string | undefined;
	/** What the model says that its answer took, in tokens, where it says so. */
	usage: Readonly<Record<string, number>> | undefined;
	/** The position of this exchange in the list of `Exchanges`. */
	index = -1;
	/** What this request takes up; undefined for public routes. */
	slot: RequestSlot | undefined;
	#controller: AbortController | undefined;
	#reason: unknown;
	#aborted = false;
	/** Who wants to know of the abort; most requests end without one. */
	#stops: (() => void)[] = [];
	/** How much held work has not settled, and who waits for it. */
	#held = 0;
	#wake: () => void = () => {};
	#disarm: () => void = () => {};
	#endPace: () => void = () => {};
	#invite: (() => void) | undefined;
	readonly #log: Logger;
	#child: Logger | undefined;
	#left = false;
	#cut = false;
	#waitsForBody = false;
	#isAllSent = false;

	constructor(req: IncomingMessage, res: ServerResponse, options: ExchangeOptions) {
		this.req = req;
		this.res = res;
		this.clock = options.clock;
		this.startedAt = options.clock.now();
		this.requestId = requestIdOf(req);
		this.#log = options.log;
		this.#invite = options.hooks?.invite;
		this.closed = this.#watch(options.hooks?.closed);
	}

	/**
	 * Aborts when the client leaves, the deadline passes or the server stops. The reason tells which. Made when it is
	 * asked for.
	 */
	get signal(): AbortSignal {
		if (!this.#controller) {
			this.#controller = new AbortController();
			// A handler may hang one listener per output on it; ten would print a warning.
			setMaxListeners(0, this.#controller.signal);
			if (this.#aborted) this.#controller.abort(this.#reason);
		}
		return this.#controller.signal;
	}

	/** Whether the signal has aborted. */
	get aborted(): boolean {
		return this.#aborted;
	}

	/** Why it has. */
	get reason(): unknown {
		return this.#reason;
	}

	/** A logger that names the request. */
	get log(): Logger {
		this.#child ??= this.#log.child({ req_id: this.requestId });
		return this.#child;
	}

	/** True when the client left before the answer was finished. */
	get left(): boolean {
		return this.#left;
	}

	/** True when an answer that had begun was broken off, for it could not be finished. */
	get isCut(): boolean {
		return this.#cut && this.res.headersSent;
	}

	/** Aborts the signal after `ms` milliseconds. */
	setDeadline(ms: number): void {
		this.clearDeadline();
		this.#disarm = this.clock.after(ms, () => this.abort(tooLate(ms, this.#waitsForBody)));
	}

	/** Lifts the deadline: what remains is bounded by the client's reading. */
	clearDeadline(): void {
		this.#disarm();
		this.#disarm = () => {};
	}

	/** Aborts the signal with an error that the client may see. The first reason counts. */
	abort(reason: PlinthError | DOMException): void {
		if (this.#aborted) return;
		this.#aborted = true;
		this.#reason = reason;
		this.#controller?.abort(reason);
		// One may take others back.
		for (let stop = this.#stops.shift(); stop; stop = this.#stops.shift()) stop();
	}

	/** Calls `stop` once when the exchange is aborted, unless the returned function is called before. */
	onAbort(stop: () => void): () => void {
		this.#stops.push(stop);
		return () => {
			const at = this.#stops.indexOf(stop);
			if (at >= 0) this.#stops.splice(at, 1);
		};
	}

	/** Settles as `work` does, or rejects with the reason of the abort if that comes first. */
	orAbort<T>(work: PromiseLike<T>): Promise<T> {
		if (this.#aborted) {
			work.then(undefined, () => {});
			return Promise.reject(this.#reason);
		}
		return orStop(
			work,
			(stop) => this.onAbort(stop),
			() => this.#reason,
		);
	}

	/**
	 * Says that the body is wanted. Until then a client with `Expect: 100-continue` holds it back. Throws
	 * `E_OVERLOADED` when there is no room for it; from here on a body that comes too slowly ends the exchange with
	 * `E_REQUEST_TIMEOUT`.
	 */
	inviteBody(): void {
		const length = this.req.headers['content-length'];
		this.slot?.reserve(length === undefined ? undefined : Number(length));
		this.#waitsForBody = true;
		// A short one has come with its head, mostly.
		if (!this.req.complete) {
			this.#endPace = watchPace(this.req, this.clock, () => this.abort(plinthError('E_REQUEST_TIMEOUT')));
		}
		this.#invite?.();
		this.#invite = undefined;
	}

	/** Says that the body has been read: from here on the time is ours. */
	bodyRead(): void {
		this.#waitsForBody = false;
		this.#endPace();
	}

	/** Whether the client waits to be told to send its body. */
	get isBodyHeldBack(): boolean {
		return this.#invite !== undefined;
	}

	/**
	 * Says that the system has all bytes that the head has promised: a client that has got them may close before we
	 * have come to the end.
	 */
	allSent(): void {
		this.#isAllSent = true;
	}

	/** Closes the connection in the middle of an answer that cannot be finished. */
	cut(): void {
		this.#cut = true;
		// For the log: what could not even begin was no success.
		if (!this.res.headersSent) this.res.statusCode = 500;
		this.res.destroy();
	}

	/** Counts work that may outlast the answer as a part of the exchange. How it ends is not looked at. */
	waitFor(work: Promise<unknown>): void {
		this.#held += 1;
		const done = () => {
			this.#held -= 1;
			if (this.#held === 0) this.#wake();
		};
		work.then(done, done);
	}

	/** Resolves when the response is closed and all held work has settled. */
	async settled(): Promise<void> {
		await this.closed;
		this.clearDeadline();
		this.#endPace();
		if (this.#held === 0) return;
		// One that never ends is a fault of its own; it must not take its tenant's places away for ever.
		const cancelTimer = this.clock.after(httpLimits.abandonMs, () => {
			this.log.warn({ route: this.route ?? 'unmatched' }, 'a handler goes on although nobody waits for it');
			this.slot?.leave();
		});
		await new Promise<void>((resolve) => {
			this.#wake = resolve;
		});
		cancelTimer();
	}

	/**
	 * No event of a response has a second listener, and Node has one for `finish` itself: with two it keeps an array,
	 * and V8, having seen that those of connections live long, makes such arrays among its old objects. There each
	 * keeps its whole request alive until the next full collection, and a busy server is busy with copying those.
	 */
	#watch(closed?: () => void): Promise<void> {
		const { res } = this;
		// Writing to a client that has just left is no failure, and without a listener it would end the process.
		res.on('error', () => {});
		return new Promise((resolve) => {
			const close = () => {
				closed?.();
				if (!res.writableFinished && !this.#isAllSent) {
					this.#left = !this.#cut;
					this.abort(new DOMException('The client has left.', 'AbortError'));
				}
				resolve();
			};
			// A host may hand over a response whose client is already gone.
			if (res.destroyed) queueMicrotask(close);
			// `on`, although it comes once: `once` would keep a bound function and a record of itself for as long as the
			// answer lasts.
			else res.on('close', close);
		});
	}
}

/** Whose fault it is: a body that never came is the client's, everything after it is ours. */
function tooLate(ms: number, waitsForBody: boolean): PlinthError {
	return plinthError(waitsForBody ? 'E_REQUEST_TIMEOUT' : 'E_DEADLINE', {
		message: `The request was not finished within ${ms / 1000} seconds.`,
	});
}
