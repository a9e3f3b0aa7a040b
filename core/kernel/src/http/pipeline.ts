import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { plinthError } from '../contract/errors/coded-error.ts';
import type { Context, Entry, Next, RequestState } from './context.ts';
import { sendError } from './errors.ts';
import type { Exchanges } from './exchanges.ts';
import type { Admission } from './gate/admission.ts';
import type { Authentication } from './gate/authentication.ts';
import { Cors } from './gate/cors.ts';
import { probePaths } from './routing/system.ts';
import type { RouteTable } from './routing/table.ts';

/** What the pipeline is built with. */
export interface PipelineParts {
	readonly exchanges: Exchanges;
	/** The origins whose pages may read answers. */
	readonly cors: readonly string[];
	readonly authentication: Authentication;
	readonly admission: Admission;
	readonly routes: RouteTable;
	/** Resolves when the app can answer; rejects with what the client reads when it cannot start. */
	readonly whenReady: () => Promise<void> | void;
}

/** The stack of middleware that answers every request, whether a listener, a host or `fetch` carries it. */
export class Pipeline {
	readonly #app = new Koa<RequestState>();
	readonly #parts: PipelineParts;
	readonly #run: (ctx: Context) => Promise<void>;
	#isReady = false;
	#isStopping = false;

	constructor(parts: PipelineParts) {
		this.#parts = parts;
		const { exchanges, cors, authentication, admission, routes } = parts;
		const app = this.#app;
		// The router asks for `ctx.path`. Koa's knows no mounts, and its parser throws for some targets.
		Object.defineProperty(app.context, 'path', {
			get(this: Context) {
				return this.state.entry.target.path;
			},
		});
		app.use((ctx, next) => exchanges.handle(ctx, next));
		app.use((ctx, next) => this.#answerErrors(ctx, next));
		if (cors.length > 0) {
			const middleware = new Cors(cors, routes);
			app.use((ctx, next) => middleware.handle(ctx, next));
		}
		app.use((ctx, next) => this.#checkAvailability(ctx, next));
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

	/** From now on requests that a host carries are refused with `E_STOPPING`, except those for public routes. */
	stop(): void {
		this.#isStopping = true;
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
	async #checkAvailability({ req, state: { entry } }: Context, next: Next): Promise<unknown> {
		const { path } = entry.target;
		// The listener accepted its connections before it closed: requests on them are answered.
		if (this.#isStopping && !entry.hooks && this.#parts.routes.needsKey(req.method, path)) {
			throw plinthError('E_STOPPING');
		}
		if (!this.#isReady && !probePaths.includes(path)) {
			await this.#parts.whenReady();
			this.#isReady = true;
		}
		return next();
	}
}

/** The stack as one function. `app.callback()` would add listeners to every response, which cost memory. */
function composed(app: Koa<RequestState>): (ctx: Context) => Promise<void> {
	const { compose } = app as unknown as {
		compose(stack: readonly unknown[]): (ctx: Context) => Promise<void>;
	};
	return compose(app.middleware);
}
