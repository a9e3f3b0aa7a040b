import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { plinthError } from '../contract/errors/coded-error.ts';
import type { HostMiddleware, Mount } from '../contract/http/mount.ts';
import { Reply } from '../contract/http/reply.ts';
import type { Route } from '../contract/http/route.ts';
import type { Clock } from '../contract/ports/clock.ts';
import { respond } from './answers/respond.ts';
import { markTaken } from './bodies/host-body.ts';
import { Endpoint } from './endpoint.ts';
import { sendError } from './errors.ts';
import { Exchange, type ListenerHooks } from './exchange.ts';
import { Admission, defaultLoad } from './gate/admission.ts';
import { anonymous, authenticate, checkScope, openPrincipal } from './gate/auth.ts';
import { AuthFailures, unlimitedFailures } from './gate/auth-failures.ts';
import { Cors, isPreflight } from './gate/cors.ts';
import { InFlight } from './in-flight.ts';
import { httpLimits } from './limits.ts';
import { type Address, Listener, type RequestHandler } from './listener.ts';
import {
	connectionUrl,
	linkBase,
	outside,
	plainPrefix,
	type Target,
	targetBelow,
} from './mount.ts';
import { describeRoutes } from './openapi/document.ts';
import { RequestLog } from './request-log.ts';
import { RouteTable } from './router.ts';
import type { HttpOptions } from './server-options.ts';
import { sharedTimers } from './shared-timers.ts';
import { probePaths, systemRoutes } from './system.ts';

export type { HttpOptions } from './server-options.ts';

/** A request handler for Node, and for hosts that pass on what is not ours. */
export type Callback = (
	req: IncomingMessage,
	res: ServerResponse,
	next?: (error?: unknown) => void,
) => void;

/** How a request came in. */
interface Origin {
	/** Absent when it came another way than through our own listener. */
	readonly arrival?: ListenerHooks;
	/** Where it leads; without a mount unless set. */
	readonly target?: Target;
	/** What the host knows of it; the request itself unless set. */
	readonly host?: readonly unknown[] | undefined;
	/** What links begin with that lead back the way it came; the address of its connection unless set. */
	readonly url?: string | undefined;
	/** The host's Koa context. */
	readonly context?: () => Koa.Context;
}

/** All of HTTP: the same routes behind a listener of our own, inside a host's server, or through `fetch`. */
export class HttpServer {
	readonly #options: HttpOptions;
	readonly #routes: readonly Route[];
	readonly #table: RouteTable;
	readonly #endpoints: ReadonlyMap<Route, Endpoint>;
	readonly #inFlight = new InFlight();
	readonly #authFailures: AuthFailures;
	readonly #admission: Admission;
	readonly #cors: Cors;
	readonly #clock: Clock;
	readonly #requestLog: RequestLog;
	/** Makes the contexts that koa-body reads from. */
	readonly #koa = new Koa();
	#closing = false;
	#listener: Listener | undefined;
	#address: Address | undefined;
	#document: object | undefined;

	constructor(options: HttpOptions) {
		const { readiness, models } = options;
		const system = systemRoutes({ readiness, models, openapi: (url) => this.openapi(url) });
		this.#options = options;
		this.#authFailures = new AuthFailures(options.authFailures ?? unlimitedFailures);
		this.#admission = new Admission(options.load ?? defaultLoad);
		this.#cors = new Cors(options.cors ?? []);
		this.#routes = [...options.routes, ...system];
		this.#table = new RouteTable(this.#routes);
		this.#endpoints = new Map(this.#routes.map((route) => [route, new Endpoint(route)]));
		this.#clock = sharedTimers(options.clock);
		this.#requestLog = new RequestLog(options.log);
	}

	/** Whether `listen` has opened a server. */
	get listening(): boolean {
		return this.#listener !== undefined;
	}

	/** How many requests are being answered. */
	get inFlight(): number {
		return this.#inFlight.size;
	}

	/**
	 * A handler for `node:http`, Express and the like. With `next`, paths that are not ours go on to the host. What the host has
	 * stripped from `req.url` is told by `req.originalUrl`.
	 */
	callback({ prefix, host }: Mount = {}): Callback {
		const plain = plainPrefix(prefix);
		return (req, res, next) => {
			const target = targetBelow(req, plain) ?? outside;
			if (next && !this.#isOurs(target.path)) next();
			else this.#serve(req, res, { target, host });
		};
	}

	/** The same for a Koa host, whose context an authenticator gets. */
	middleware({ prefix, host }: Mount = {}): HostMiddleware {
		const plain = plainPrefix(prefix);
		return async (ctx, next) => {
			const target = targetBelow(ctx.req, plain, ctx.originalUrl);
			if (!target || !this.#isOurs(target.path)) return next();
			ctx.respond = false;
			// koa-body takes a context of Koa's own types.
			const context = () => ctx as Koa.Context;
			await this.#serve(ctx.req, ctx.res, { target, host: host ?? [ctx], context });
		};
	}

	/** Answers one fetch request without a socket. With `next`, paths that are not ours go on to the host. */
	async fetch(
		request: Request,
		{ prefix, host = [request] }: Mount = {},
		next?: () => Response | Promise<Response>,
	): Promise<Response> {
		const { origin: url, pathname, search } = new URL(request.url);
		const target = targetBelow({ url: `${pathname}${search}` }, plainPrefix(prefix)) ?? outside;
		if (next && !this.#isOurs(target.path)) return next();
		// Most servers have a socket and never need it.
		const { carryFetch } = await import('./fetch.ts');
		const origin = { target, host, url };
		return carryFetch(request, (req, res) => {
			if (request.bodyUsed) markTaken(req);
			void this.#serve(req, res, origin);
		});
	}

	/** Opens a server of our own. Rejects when the address cannot be had. */
	async listen(options: { readonly host: string; readonly port: number }): Promise<Address> {
		if (this.#listener) throw new Error('The server listens already.');
		const handle: RequestHandler = (req, res, arrival) => {
			void this.#serve(req, res, { arrival });
		};
		const { log, connections = 10_000 } = this.#options;
		const listener = new Listener(handle, log, connections);
		this.#listener = listener;
		try {
			this.#address = await listener.open(options);
		} catch (error) {
			this.#listener = undefined;
			throw error;
		}
		if (this.#closing) await listener.stop();
		return this.#address;
	}

	/** Describes all routes as OpenAPI 3.1, for those who reach them at `url`. */
	openapi(
		url = linkBase(this.#options.publicUrl, this.#address?.url ?? 'http://localhost'),
	): object {
		const { title, version, routeOwners } = this.#options;
		const tagOf = (route: Route) => routeOwners?.get(route) ?? 'system';
		// Anybody may ask for it, and it costs more than a request should.
		this.#document ??= describeRoutes(this.#routes, { title, version, url, tagOf });
		return { ...this.#document, servers: [{ url }] };
	}

	/** From now on every answer ends its connection, so that clients have left before the listener is closed. */
	endKeepAlive(): void {
		this.#listener?.endKeepAlive();
	}

	/** Closes the listener that `listen` opened; its busy connections end behind their answers. Resolves when none is left. */
	async stopAccepting(): Promise<void> {
		this.#closing = true;
		await this.#listener?.stop();
	}

	/** Closes what `stopAccepting` still waits for. */
	close(): void {
		this.#listener?.close();
	}

	/** Resolves when no request is being answered, whoever carries it. */
	drained(): Promise<void> {
		return this.#inFlight.drained();
	}

	/** Aborts the signal of every request. */
	abortAll(): void {
		this.#inFlight.abortAll();
	}

	/** Never rejects. */
	async #serve(req: IncomingMessage, res: ServerResponse, origin: Origin = {}): Promise<void> {
		const { log } = this.#options;
		const exchange = new Exchange(req, res, { clock: this.#clock, log, arrival: origin.arrival });
		this.#inFlight.add(exchange);
		try {
			await this.#answer(exchange, origin);
		} catch (error) {
			await sendError(exchange, error).catch(() => exchange.cut());
		}
		try {
			await this.#finish(exchange);
		} catch {
			exchange.cut();
		} finally {
			exchange.place?.leave();
			this.#inFlight.remove(exchange);
		}
	}

	async #answer(exchange: Exchange, origin: Origin): Promise<void> {
		const { context, arrival } = origin;
		const { req, res } = exchange;
		const { method = '' } = req;
		const target = origin.target ?? targetBelow(req, '') ?? outside;
		const { path, query } = target;
		const match = this.#table.match(method, path);
		exchange.route = match?.template ?? exchange.route;
		if (this.#cors.mark(req, res) && match && isPreflight(req)) {
			return respond(exchange, Reply.empty(204, this.#cors.preflight(req, match.methods)));
		}
		// The key comes before the route: without one nobody learns which paths exist.
		const open = match?.route ? match.route.scope === 'public' : !isGuarded(path);
		// A host may go on sending requests after we have stopped; the probes still answer. Our own listener took its connections before
		// it closed: what comes on them is answered.
		if (this.#closing && !open && !arrival) throw plinthError('E_STOPPING');
		const admitted = probePaths.includes(path) ? undefined : this.#options.whenReady?.();
		if (admitted) await admitted;
		if (!open) {
			const { authenticator } = this.#options;
			exchange.principal = authenticator
				? await this.#authFailures.watch(req, authenticate(req, authenticator, origin.host))
				: openPrincipal;
		}
		if (!match) throw plinthError('E_ROUTE_NOT_FOUND');
		if (!match.route) return respond(exchange, answerMethod(method, match.methods));
		const { route, captures } = match;
		const principal = exchange.principal ?? anonymous;
		checkScope(principal, route.scope);
		if (!open) exchange.place = this.#admission.enter(principal.tenant);
		const visit = {
			principal,
			captures,
			query,
			publicUrl: linkBase(this.#options.publicUrl, this.#urlOf(req, origin), target.before),
			context: context ?? (() => this.#koa.createContext(req, res)),
		};
		const result = await this.#endpoints.get(route)?.run(exchange, visit);
		await respond(exchange, result, route.response.status);
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

	#isOurs(path: string): boolean {
		return isGuarded(path) || this.#table.match('GET', path) !== undefined;
	}

	#urlOf(req: IncomingMessage, { arrival, url }: Origin): string {
		return url ?? ((arrival && this.#address?.url) || connectionUrl(req));
	}
}

/** Under these every path needs a key, known or not. */
function isGuarded(path: string): boolean {
	return /^\/(?:v1|api)(?:\/|$)/.test(path);
}

function answerMethod(method: string, methods: readonly string[]): Reply {
	const allow = [...methods, 'OPTIONS'].join(', ');
	if (method === 'OPTIONS') return Reply.empty(204, { allow });
	throw plinthError('E_METHOD_NOT_ALLOWED', {
		message: `The route does not answer to ${method.slice(0, 20)}, only to ${allow}.`,
		headers: { allow },
	});
}
