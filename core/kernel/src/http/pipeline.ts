import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { plinthError } from '../contract/errors/coded-error.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import type { Context, Entry, HttpMiddleware, Next, RequestState } from './context.ts';
import { sendError } from './errors.ts';
import { Exchange } from './exchange.ts';
import type { Admission } from './gate/admission.ts';
import { cors } from './gate/cors.ts';
import { httpLimits } from './limits.ts';
import { probePaths } from './routing/system.ts';
import type { RouteTable } from './routing/table.ts';
import { shownPath } from './routing/unknown-route.ts';

export interface PipelineParts {
	readonly clock: Clock;
	readonly log: Logger;
	readonly cors: readonly string[];
	readonly compresses: boolean;
	readonly authentication: HttpMiddleware;
	readonly admission: Admission;
	readonly routes: RouteTable;
	/** Resolves when the app can handle requests; rejects with the error for clients when the app cannot start. */
	readonly whenReady: () => Promise<void> | void;
}

const maxLoggers = 1_000;

/** The stack of middleware that handles every request, from the listener, a host or `fetch`. */
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
		const { cors: origins, authentication, admission, routes } = parts;
		const app = this.#app;
		// The router reads `ctx.path`. Koa's own getter does not know mounts, and its parser throws for some targets.
		Object.defineProperty(app.context, 'path', {
			get(this: Context) {
				return this.state.entry.target.path;
			},
		});
		app.use((ctx, next) => this.#runExchange(ctx, next));
		app.use((ctx, next) => this.#answerErrors(ctx, next));
		if (origins.length > 0) app.use(cors(origins, routes));
		app.use((ctx, next) => this.#checkAvailability(ctx, next));
		app.use((ctx, next) => (this.#needsKey(ctx) ? authentication(ctx, next) : next()));
		app.use((ctx, next) => admission.handle(ctx, next));
		app.use(routes.routes());
		app.use((ctx) => routes.refuse(ctx));
		this.#run = composed(app);
	}

	get inFlight(): number {
		return this.#exchanges.length;
	}

	/** Handles one request. Never rejects. */
	handle(req: IncomingMessage, res: ServerResponse, entry: Entry): Promise<void> {
		const ctx = this.#app.createContext(req, res);
		// The routes write their responses themselves: streams need deadlines, which Koa does not have.
		ctx.respond = false;
		Object.assign(ctx.state, { entry });
		return this.#run(ctx as Context);
	}

	/** Refuses later requests from a host or `fetch` with `E_STOPPING`, except those for public routes. */
	stop(): void {
		this.#isStopping = true;
	}

	drained(): Promise<void> {
		if (this.inFlight === 0) return Promise.resolve();
		return new Promise((resolve) => this.#waiting.push(resolve));
	}

	/** Aborts the signal of every request. Clients that are still waiting get `E_STOPPING`. */
	abortAll(): void {
		for (const exchange of [...this.#exchanges]) exchange.abort(plinthError('E_STOPPING'));
	}

	async #runExchange({ req, res, state }: Context, next: Next): Promise<void> {
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
			exchange.slot?.release();
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

	async #checkAvailability(ctx: Context, next: Next): Promise<void> {
		const { entry } = ctx.state;
		// Requests on connections that the listener accepted before it closed are still handled.
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
		const cancelTimer = exchange.clock.after(exchange.aborted ? httpLimits.errorGraceMs : httpLimits.stallMs, cut);
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

	/** Logs a finished request, with its path only if it has no route: paths of routes may contain signed names. */
	#logRequest(exchange: Exchange, path: string): void {
		const { res, clock, requestId, route, startedAt, usage, refusal, unknownMembers } = exchange;
		const line = {
			req_id: requestId,
			path: route === undefined ? shownPath(path) : undefined,
			// 499 as in nginx: the client has disconnected.
			status: exchange.hasDisconnected ? 499 : res.statusCode,
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

	/** Returns a child logger for the fields that many requests share, so that these are redacted and serialized once. */
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
	const { compose } = app as unknown as { compose(stack: readonly unknown[]): (ctx: Context) => Promise<void> };
	return compose(app.middleware);
}
