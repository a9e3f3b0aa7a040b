import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { plinthError } from '../contract/errors/coded-error.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import type { Context, Entry, Next, RequestState } from './context.ts';
import { sendError } from './errors.ts';
import { Exchange } from './exchange.ts';
import type { Admission } from './gate/admission.ts';
import type { Authentication } from './gate/authentication.ts';
import { Cors } from './gate/cors.ts';
import { httpLimits } from './limits.ts';
import { probePaths } from './routing/system.ts';
import type { RouteTable } from './routing/table.ts';
import { shownPath } from './routing/unknown-route.ts';

/** What the pipeline is built with. */
export interface PipelineParts {
	readonly clock: Clock;
	readonly log: Logger;
	/** The origins whose pages may read answers. */
	readonly cors: readonly string[];
	/** Whether JSON is compressed for clients that ask for it. */
	readonly compresses: boolean;
	readonly authentication: Authentication;
	readonly admission: Admission;
	readonly routes: RouteTable;
	/** Resolves when the app can answer; rejects with what the client reads when it cannot start. */
	readonly whenReady: () => Promise<void> | void;
}

/** The number of child loggers that are kept for the request log. */
const maxLoggers = 1_000;

/** The stack of middleware that answers every request, whether a listener, a host or `fetch` carries it. */
export class Pipeline {
	readonly #app = new Koa<RequestState>();
	readonly #parts: PipelineParts;
	readonly #run: (ctx: Context) => Promise<void>;
	readonly #loggers = new Map<string, Logger>();
	/** Each exchange knows its index. A long-lived `Set` would keep finished requests until a full collection. */
	readonly #exchanges: Exchange[] = [];
	#waiting: (() => void)[] = [];
	#isReady = false;
	#isStopping = false;

	constructor(parts: PipelineParts) {
		this.#parts = parts;
		const { cors, authentication, admission, routes } = parts;
		const app = this.#app;
		// The router asks for `ctx.path`. Koa's knows no mounts, and its parser throws for some targets.
		Object.defineProperty(app.context, 'path', {
			get(this: Context) {
				return this.state.entry.target.path;
			},
		});
		app.use((ctx, next) => this.#carryExchange(ctx, next));
		app.use((ctx, next) => this.#answerErrors(ctx, next));
		if (cors.length > 0) {
			const middleware = new Cors(cors, routes);
			app.use((ctx, next) => middleware.handle(ctx, next));
		}
		app.use((ctx, next) => this.#checkAvailability(ctx, next));
		app.use((ctx, next) => (this.#needsKey(ctx) ? authentication.handle(ctx, next) : next()));
		app.use((ctx, next) => admission.handle(ctx, next));
		app.use(routes.routes());
		app.use((ctx) => routes.refuse(ctx));
		this.#run = composed(app);
	}

	/** How many requests are being answered. */
	get inFlight(): number {
		return this.#exchanges.length;
	}

	/** Answers one request. Never rejects. */
	handle(req: IncomingMessage, res: ServerResponse, entry: Entry): Promise<void> {
		const ctx = this.#app.createContext(req, res);
		// The routes write their answers themselves: streams need deadlines that Koa does not know.
		ctx.respond = false;
		Object.assign(ctx.state, { entry });
		return this.#run(ctx as Context);
	}

	/** From now on requests that a host carries are refused with `E_STOPPING`, except those for public routes. */
	stop(): void {
		this.#isStopping = true;
	}

	/** Resolves when no request is being answered. */
	drained(): Promise<void> {
		if (this.inFlight === 0) return Promise.resolve();
		return new Promise((resolve) => this.#waiting.push(resolve));
	}

	/** Aborts the signal of every request; clients that still wait read `E_STOPPING`. */
	abortAll(): void {
		for (const exchange of [...this.#exchanges]) exchange.abort(plinthError('E_STOPPING'));
	}

	/** Gives a request its id, counts it until its response is closed, and logs it. */
	async #carryExchange({ req, res, state }: Context, next: Next): Promise<void> {
		const exchange = new Exchange(req, res, this.#parts.clock, this.#parts.log, state.entry.hooks);
		exchange.compresses = this.#parts.compresses;
		Object.assign(state, { exchange });
		exchange.index = this.#exchanges.push(exchange) - 1;
		try {
			await next();
			await this.#finish(exchange, state.entry.target.path);
		} catch {
			exchange.cut();
		} finally {
			exchange.slot?.leave();
			this.#remove(exchange);
		}
	}

	async #answerErrors({ state: { entry, exchange } }: Context, next: Next): Promise<void> {
		try {
			await next();
		} catch (error) {
			exchange.route ??= this.#parts.routes.find(entry.target.path)?.template;
			await sendError(exchange, error).catch(() => exchange.cut());
		}
	}

	/** Lets requests wait for the start of the app, except probes, and refuses new ones when it stops. */
	async #checkAvailability(ctx: Context, next: Next): Promise<void> {
		const { entry } = ctx.state;
		// The listener accepted its connections before it closed: requests on them are answered.
		if (this.#isStopping && !entry.hooks && this.#needsKey(ctx)) throw plinthError('E_STOPPING');
		if (!this.#isReady && !probePaths.includes(entry.target.path)) {
			await this.#parts.whenReady();
			this.#isReady = true;
		}
		await next();
	}

	#needsKey({ req, state: { entry } }: Context): boolean {
		return this.#parts.routes.needsKey(req.method, entry.target.path);
	}

	async #finish(exchange: Exchange, path: string): Promise<void> {
		const cut = () => exchange.res.destroy();
		const { errorGraceMs, stallMs } = httpLimits;
		const cancelTimer = exchange.clock.after(exchange.aborted ? errorGraceMs : stallMs, cut);
		if (!exchange.aborted) exchange.onAbort(cut);
		await exchange.closed;
		cancelTimer();
		this.#logRequest(exchange, path);
		await exchange.settled();
	}

	#remove(exchange: Exchange): void {
		const last = this.#exchanges.pop();
		if (last && last !== exchange) {
			this.#exchanges[exchange.index] = last;
			last.index = exchange.index;
		}
		if (this.inFlight > 0) return;
		for (const resolve of this.#waiting) resolve();
		this.#waiting = [];
	}

	/** Writes the line of a finished request. It has the path only where there is no route: paths hold signed names. */
	#logRequest(exchange: Exchange, path: string): void {
		const { res, clock, requestId, route, startedAt, usage, refusal, unknownMembers } = exchange;
		const line = {
			req_id: requestId,
			path: route === undefined ? shownPath(path) : undefined,
			// 499, as nginx: the client left.
			status: exchange.left ? 499 : res.statusCode,
			dur_ms: clock.now() - startedAt,
			code: refusal?.code,
			param: refusal?.param,
			unknown: unknownMembers,
			usage,
			cut: exchange.isCut || undefined,
		};
		const log = this.#loggerOf(exchange);
		if (probePaths.includes(route ?? '')) log.debug(line, 'request');
		else log.info(line, 'request');
	}

	/** A logger with the fields that many requests share: it redacts and serializes them once. */
	#loggerOf({ req: { method }, route = 'unmatched', principal, model }: Exchange): Logger {
		const fields = { method, route, tenant: principal?.tenant, principal: principal?.id, model };
		const key = JSON.stringify(Object.values(fields));
		let log = this.#loggers.get(key);
		if (!log) {
			if (this.#loggers.size >= maxLoggers) this.#loggers.clear();
			log = this.#parts.log.child(fields);
			this.#loggers.set(key, log);
		}
		return log;
	}
}

/** The stack as one function. `app.callback()` would add listeners to every response, which cost memory. */
function composed(app: Koa<RequestState>): (ctx: Context) => Promise<void> {
	const { compose } = app as unknown as {
		compose(stack: readonly unknown[]): (ctx: Context) => Promise<void>;
	};
	return compose(app.middleware);
}
