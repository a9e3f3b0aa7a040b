import { plinthError } from '../contract/errors/coded-error.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import type { Context, Next } from './context.ts';
import { Exchange } from './exchange.ts';
import { RequestLog } from './gate/request-log.ts';
import { httpLimits } from './limits.ts';

/** The requests that are being answered, whether a listener, a host or `fetch` carries them. */
export class Exchanges {
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #requestLog: RequestLog;
	/**
	 * An array in which each exchange knows its index. The tables of a long-lived `Set` keep what was in them until a
	 * full collection of garbage, and with it every finished request.
	 */
	readonly #current: Exchange[] = [];
	#waiting: (() => void)[] = [];

	constructor(clock: Clock, log: Logger) {
		this.#clock = clock;
		this.#log = log;
		this.#requestLog = new RequestLog(log);
	}

	/** How many requests are being answered. */
	get size(): number {
		return this.#current.length;
	}

	/** Gives a request its id, counts it until its response has closed, and writes its line in the log. Never rejects. */
	async carry(ctx: Context, next: Next): Promise<void> {
		const { req, res, state } = ctx;
		const options = { clock: this.#clock, log: this.#log, hooks: state.entry.hooks };
		const exchange = new Exchange(req, res, options);
		Object.assign(state, { exchange });
		this.#add(exchange);
		try {
			await next();
			await this.#finish(exchange);
		} catch {
			exchange.cut();
		} finally {
			exchange.slot?.leave();
			this.#remove(exchange);
		}
	}

	/** Resolves at the next moment in which no request is being answered. */
	drained(): Promise<void> {
		if (this.size === 0) return Promise.resolve();
		return new Promise((resolve) => this.#waiting.push(resolve));
	}

	/** Aborts the signal of every request; clients that still wait read `E_STOPPING`. */
	abortAll(): void {
		for (const exchange of [...this.#current]) exchange.abort(plinthError('E_STOPPING'));
	}

	async #finish(exchange: Exchange): Promise<void> {
		const { res, clock } = exchange;
		const cut = () => res.destroy();
		const { errorGraceMs, stallMs } = httpLimits;
		const cancelTimer = clock.after(exchange.aborted ? errorGraceMs : stallMs, cut);
		if (!exchange.aborted) exchange.onAbort(cut);
		await exchange.closed;
		cancelTimer();
		this.#requestLog.write(exchange);
		await exchange.settled();
	}

	#add(exchange: Exchange): void {
		exchange.index = this.#current.push(exchange) - 1;
	}

	#remove(exchange: Exchange): void {
		const last = this.#current.pop();
		if (last && last !== exchange) {
			this.#current[exchange.index] = last;
			last.index = exchange.index;
		}
		if (this.size > 0) return;
		for (const resolve of this.#waiting) resolve();
		this.#waiting = [];
	}
}
