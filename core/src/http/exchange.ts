import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PlinthError, plinthError } from '../errors.ts';
import type { Principal } from '../ports/authenticator.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';

/** One request and its answer, from the first byte to the closed response. */
export class Exchange {
	readonly req: IncomingMessage;
	readonly res: ServerResponse;
	readonly clock: Clock;
	readonly log: Logger;
	readonly requestId: string;
	/** Milliseconds since the Unix epoch. */
	readonly startedAt: number;
	/** Aborts when the client leaves, the deadline passes or the server stops. The reason tells which. */
	readonly signal: AbortSignal;
	/** Rejects with the signal's reason when it aborts; never resolves. */
	readonly aborted: Promise<never>;
	/** Resolves when the response has been sent or its connection is gone. */
	readonly closed: Promise<void>;
	/** The path template of the route; `unmatched` when there is none. Goes to the log in place of the path. */
	route = 'unmatched';
	principal: Principal | undefined;
	readonly #controller = new AbortController();
	readonly #held: Promise<unknown>[] = [];
	#disarm: () => void = () => {};
	#left = false;

	constructor(req: IncomingMessage, res: ServerResponse, clock: Clock, log: Logger) {
		this.req = req;
		this.res = res;
		this.clock = clock;
		this.startedAt = clock.now();
		this.requestId = requestIdOf(req);
		this.log = log.child({ req_id: this.requestId });
		this.signal = this.#controller.signal;
		// A handler may hang one listener per output on it; ten would print a warning.
		setMaxListeners(0, this.signal);
		this.aborted = rejection(this.signal);
		this.closed = this.#watch();
	}

	/** True when the client left before the answer was finished. */
	get left(): boolean {
		return this.#left;
	}

	/** Aborts the signal after `ms` milliseconds. */
	setDeadline(ms: number): void {
		this.clearDeadline();
		this.#disarm = this.clock.after(ms, () => this.abort(tooLate(ms)));
	}

	/** Lifts the deadline: what remains is bounded by the client's reading. */
	clearDeadline(): void {
		this.#disarm();
		this.#disarm = () => {};
	}

	/** Aborts the signal with an error that the client may see. */
	abort(reason: PlinthError): void {
		this.#controller.abort(reason);
	}

	/** Counts work that may outlast the answer as a part of the exchange. */
	hold(work: Promise<unknown>): void {
		this.#held.push(work);
	}

	/** Resolves when the response is closed and all held work has settled. */
	async settled(): Promise<void> {
		await this.closed;
		this.clearDeadline();
		await Promise.allSettled(this.#held);
	}

	#watch(): Promise<void> {
		const { res } = this;
		let finished = false;
		res.once('finish', () => {
			finished = true;
		});
		return new Promise((resolve) => {
			const close = () => {
				if (!finished) {
					this.#left = !this.signal.aborted;
					this.#controller.abort(new DOMException('The client has left.', 'AbortError'));
				}
				resolve();
			};
			// A host may hand over a response whose client is already gone.
			if (res.destroyed) queueMicrotask(close);
			else res.once('close', close);
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
	return `req_${randomBytes(16).toString('hex')}`;
}

function tooLate(ms: number): PlinthError {
	return plinthError('E_REQUEST_TIMEOUT', {
		message: `The request was not finished within ${ms / 1000} seconds.`,
	});
}

function rejection(signal: AbortSignal): Promise<never> {
	const promise = new Promise<never>((_, reject) => {
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
	});
	// Nobody has to listen: an exchange that is never raced must not end the process.
	promise.catch(() => {});
	return promise;
}
