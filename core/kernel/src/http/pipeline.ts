import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import type { Context, Entry, RequestState } from './context.ts';
import { sendError } from './errors.ts';
import type { Exchanges } from './exchanges.ts';
import type { Admission } from './gate/admission.ts';
import type { Authentication } from './gate/authentication.ts';
import type { Availability } from './gate/availability.ts';
import type { Cors } from './gate/cors.ts';
import type { RouteTable } from './routing/table.ts';

/** The stack of middleware that answers every request, whether a listener, a host or `fetch` carries it. */
export class Pipeline {
	readonly #app = new Koa<RequestState>();
	readonly #run: (ctx: Context) => Promise<void>;

	constructor(
		exchanges: Exchanges,
		cors: Cors,
		availability: Availability,
		authentication: Authentication,
		admission: Admission,
		routes: RouteTable,
	) {
		const app = this.#app;
		// The router asks for `ctx.path`. Koa's knows no mounts, and its parser throws for some targets.
		Object.defineProperty(app.context, 'path', {
			get(this: Context) {
				return this.state.entry.target.path;
			},
		});
		// Request id, log line, and the count of requests under way.
		app.use((ctx, next) => exchanges.carry(ctx, next));
		app.use(async ({ state: { entry, exchange } }, next) => {
			try {
				await next();
			} catch (error) {
				exchange.route ??= routes.find(entry.target.path)?.template;
				await sendError(exchange, error).catch(() => exchange.cut());
			}
		});
		app.use((ctx, next) => cors.handle(ctx, next));
		app.use((ctx, next) => availability.handle(ctx, next));
		app.use((ctx, next) => authentication.handle(ctx, next));
		app.use((ctx, next) => admission.handle(ctx, next));
		app.use(routes.routes());
		app.use((ctx) => routes.refuse(ctx));
		this.#run = composed(app);
	}

	/** Answers one request. Never rejects. */
	handle(req: IncomingMessage, res: ServerResponse, entry: Entry): Promise<void> {
		const ctx = this.#app.createContext(req, res);
		// The routes write their answers themselves: streams need deadlines that Koa does not know.
		ctx.respond = false;
		Object.assign(ctx.state, { entry });
		return this.#run(ctx as Context);
	}
}

/**
 * The whole stack as one function. `app.callback()` would add listeners to every response, which cost memory on a
 * busy server.
 */
function composed(app: Koa<RequestState>): (ctx: Context) => Promise<void> {
	const { compose } = app as unknown as {
		compose(stack: readonly unknown[]): (ctx: Context) => Promise<void>;
	};
	return compose(app.middleware);
}
