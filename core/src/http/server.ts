import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { plinthError } from '../coded-error.ts';
import type { Authenticator } from '../ports/authenticator.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { Admission, defaultLoad, type LoadLimits } from './admission.ts';
import { anonymous, authenticate, checkScope, openPrincipal } from './auth.ts';
import { type AuthFailureLimits, AuthFailures, unlimitedFailures } from './auth-failures.ts';
import { Cors, isPreflight } from './cors.ts';
import { Endpoint } from './endpoint.ts';
import { sendError } from './errors.ts';
import { Exchange } from './exchange.ts';
import { InFlight } from './in-flight.ts';
import { httpLimits } from './limits.ts';
import { type Address, Listener, type RequestHandler } from './listener.ts';
import { describeRoutes } from './openapi.ts';
import { Reply } from './reply.ts';
import { respond } from './respond.ts';
import type { Route } from './route.ts';
import { RouteTable, targetOf } from './router.ts';
import { sharedTimers } from './shared-timers.ts';
import { type ModelInfo, probePaths, type Readiness, systemRoutes } from './system.ts';

/** What the server needs from the kernel. */
export interface HttpOptions {
	/** Every route of every plugin; the kernel's own are added. */
	readonly routes: readonly Route[];
	/** Ids of the plugins behind the routes: the default tags in OpenAPI. */
	readonly routeOwners?: ReadonlyMap<Route, string>;
	/** Undefined: everybody is the one principal of `openPrincipal`, whatever key is sent. */
	readonly authenticator: Authenticator | undefined;
	/** Unlimited unless set. */
	readonly authFailures?: AuthFailureLimits;
	readonly clock: Clock;
	readonly log: Logger;
	readonly title: string;
	readonly version: string;
	/** Undefined: the listening address. */
	readonly publicUrl: string | undefined;
	/** Resolves when the app can answer. Probes do not wait for it; a rejection is answered 503. */
	readonly admit?: () => Promise<void> | void;
	readonly readiness: Readiness;
	readonly models: () => readonly ModelInfo[];
	/** Origins whose pages may read answers; none unless set. */
	readonly cors?: readonly string[];
	readonly load?: LoadLimits;
	/** Connections that the listener holds at most. */
	readonly connections?: number;
}

/** A request handler for Node, and for hosts that pass on what is not ours. */
export type Callback = (
	req: IncomingMessage,
	res: ServerResponse,
	next?: (error?: unknown) => void,
) => void;

/** How a request came in. */
interface Origin {
	/** Sends `100 Continue`; absent when the client does not wait for that. */
	readonly invite?: (() => void) | undefined;
	/** It came on a connection of our own listener. */
	readonly isTaken?: boolean;
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
	/** Makes the contexts that koa-body reads from. */
	readonly #koa = new Koa();
	#closing = false;
	#listener: Listener | undefined;
	#address: Address | undefined;
	#document: { readonly url: string; readonly value: object } | undefined;

	constructor(options: HttpOptions) {
		const { readiness, models } = options;
		const system = systemRoutes({ readiness, models, openapi: () => this.openapi() });
		this.#options = options;
		this.#authFailures = new AuthFailures(options.authFailures ?? unlimitedFailures);
		this.#admission = new Admission(options.load ?? defaultLoad);
		this.#cors = new Cors(options.cors ?? []);
		this.#routes = [...options.routes, ...system];
		this.#table = new RouteTable(this.#routes);
		this.#endpoints = new Map(this.#routes.map((route) => [route, new Endpoint(route)]));
		this.#clock = sharedTimers(options.clock);
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
	 * A handler for `node:http`, Express and the like. With `next`, paths that are not ours go on to the host; a mount prefix
	 * must have been stripped from `req.url`.
	 */
	callback(): Callback {
		return (req, res, next) => {
			if (next && !this.#isOurs(targetOf(req).path)) next();
			else this.#serve(req, res);
		};
	}

	/** The same for a Koa host. */
	middleware(): Koa.Middleware {
		return async (ctx, next) => {
			if (!this.#isOurs(targetOf(ctx.req).path)) return next();
			ctx.respond = false;
			await this.#serve(ctx.req, ctx.res, { context: () => ctx });
		};
	}

	/** Answers one fetch request without a socket. */
	async fetch(request: Request): Promise<Response> {
		// Most servers have a socket and never need it.
		const { carryFetch } = await import('./fetch.ts');
		return carryFetch(request, (req, res) => void this.#serve(req, res));
	}

	/** Opens a server of our own. Rejects when the address cannot be had. */
	async listen(options: { readonly host: string; readonly port: number }): Promise<Address> {
		if (this.#listener) throw new Error('The server listens already.');
		const handle: RequestHandler = (req, res, invite) => {
			void this.#serve(req, res, { invite, isTaken: true });
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

	/** Describes all routes as OpenAPI 3.1. */
	openapi(): object {
		const { title, version, routeOwners } = this.#options;
		const url = this.#publicUrl();
		const tagOf = (route: Route) => routeOwners?.get(route) ?? 'system';
		// Anybody may ask for it, and it costs more than a request should.
		if (this.#document?.url !== url) {
			this.#document = { url, value: describeRoutes(this.#routes, { title, version, url, tagOf }) };
		}
		return this.#document.value;
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
		const exchange = new Exchange(req, res, { clock: this.#clock, log, invite: origin.invite });
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

	async #answer(exchange: Exchange, { context, isTaken }: Origin): Promise<void> {
		const { req, res } = exchange;
		const { method = '' } = req;
		const { path, query } = targetOf(req);
		const match = this.#table.match(method, path);
		exchange.route = match?.template ?? exchange.route;
		if (this.#cors.mark(req, res) && match && isPreflight(req)) {
			return respond(exchange, Reply.empty(204, this.#cors.preflight(req, match.methods)));
		}
		// The key comes before the route: without one nobody learns which paths exist.
		const open = match?.route ? match.route.scope === 'public' : !isGuarded(path);
		// A host may go on sending requests after we have stopped; the probes still answer. Our own listener took its connections before
		// it closed: what comes on them is answered.
		if (this.#closing && !open && !isTaken) throw plinthError('E_STOPPING');
		const admitted = probePaths.includes(path) ? undefined : this.#options.admit?.();
		if (admitted) await admitted;
		if (!open) {
			const { authenticator } = this.#options;
			exchange.principal = authenticator
				? await this.#authFailures.watch(req, authenticate(req, authenticator))
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
			publicUrl: this.#publicUrl(),
			context: context ?? (() => this.#koa.createContext(req, res)),
		};
		const result = await this.#endpoints.get(route)?.run(exchange, visit);
		await respond(exchange, result, route.response.status);
	}

	async #finish(exchange: Exchange): Promise<void> {
		const { log } = this.#options;
		const { req, res, clock, requestId, route, principal, startedAt } = exchange;
		const cut = () => res.destroy();
		const { farewellMs, stallMs } = httpLimits;
		const calm = clock.after(exchange.aborted ? farewellMs : stallMs, cut);
		if (!exchange.aborted) exchange.onAbort(cut);
		await exchange.closed;
		calm();
		const line = {
			req_id: requestId,
			method: req.method,
			route,
			// 499 is nginx's: the client left. It says that nothing failed here.
			status: exchange.left ? 499 : res.statusCode,
			dur_ms: clock.now() - startedAt,
			tenant: principal?.tenant,
			principal: principal?.id,
		};
		if (probePaths.includes(route)) log.debug(line, 'request');
		else log.info(line, 'request');
		await exchange.settled();
	}

	#isOurs(path: string): boolean {
		return isGuarded(path) || this.#table.match('GET', path) !== undefined;
	}

	#publicUrl(): string {
		const url = this.#options.publicUrl ?? this.#address?.url ?? 'http://localhost';
		return url.endsWith('/') ? url.replace(/\/+$/, '') : url;
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
