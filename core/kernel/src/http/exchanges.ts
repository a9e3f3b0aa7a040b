import { plinthError } from '../contract/errors/coded-error.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import type { Context, Next } from './context.ts';
import { Exchange } from './exchange.ts';
import { httpLimits } from './limits.ts';
import { probePaths } from './routing/system.ts';

/** The number of child loggers that are kept for the request log. */
const maxLoggers = 1_000;

/** The requests that are being answered, and the request log. */
export class Exchanges {
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #loggers = new Map<string, Logger>();
	/** Each exchange knows its index. A long-lived `Set` would keep finished requests until a full collection. */
	readonly #current: Exchange[] = [];
	#waiting: (() => void)[] = [];

	constructor(clock: Clock, log: Logger) {
		this.#clock = clock;
		this.#log = log;
	}

	/** How many requests are being answered. */
	get size(): number {
		return this.#current.length;
	}

	/** The middleware that gives a request its id, counts it until its response is closed, and logs it. Never rejects. */
	async handle({ req, res, state }: Context, next: Next): Promise<void> {
		const exchange = new Exchange(req, res, this.#clock, this.#log, state.entry.hooks);
		Object.assign(state, { exchange });
		exchange.index = this.#current.push(exchange) - 1;
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

	/** Resolves when no request is being answered. */
	drained(): Promise<void> {
		if (this.size === 0) return Promise.resolve();
		return new Promise((resolve) => this.#waiting.push(resolve));
	}

	/** Aborts the signal of every request; clients that still wait read `E_STOPPING`. */
	abortAll(): void {
		for (const exchange of [...this.#current]) exchange.abort(plinthError('E_STOPPING'));
	}

	async #finish(exchange: Exchange): Promise<void> {
		const cut = () => exchange.res.destroy();
		const { errorGraceMs, stallMs } = httpLimits;
		const cancelTimer = exchange.clock.after(exchange.aborted ? errorGraceMs : stallMs, cut);
		if (!exchange.aborted) exchange.onAbort(cut);
		await exchange.closed;
		cancelTimer();
		this.#logRequest(exchange);
		await exchange.settled();
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

	/** Writes the line of a finished request. Of what the client sent it holds only the method. */
	#logRequest(exchange: Exchange): void {
		const { res, clock, requestId, route = 'unmatched', startedAt, usage } = exchange;
		const line = {
			req_id: requestId,
			// 499, as nginx: the client left.
			status: exchange.left ? 499 : res.statusCode,
			dur_ms: clock.now() - startedAt,
			usage,
			cut: exchange.isCut || undefined,
		};
		const log = this.#loggerOf(exchange);
		if (probePaths.includes(route)) log.debug(line, 'request');
		else log.info(line, 'request');
	}

	/** A logger with the fields that many requests share: it redacts and serializes them once. */
	#loggerOf({ req: { method }, route = 'unmatched', principal, model }: Exchange): Logger {
		const fields = { method, route, tenant: principal?.tenant, principal: principal?.id, model };
		const key = JSON.stringify(Object.values(fields));
		let log = this.#loggers.get(key);
		if (!log) {
			if (this.#loggers.size >= maxLoggers) this.#loggers.clear();
			log = this.#log.child(fields);
			this.#loggers.set(key, log);
		}
		return log;
	}
}
