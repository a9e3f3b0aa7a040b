import type { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { HostMiddleware, Mount } from '../contract/http/mount.ts';
import { markTaken } from './bodies/host-body.ts';
import type { Entry } from './context.ts';
import type { Exchanges } from './exchanges.ts';
import type { Availability } from './gate/availability.ts';
import { connectionUrl, linkBase, outside, plainPrefix, targetBelow } from './hosts/mount.ts';
import type { Address, Listener } from './listener.ts';
import type { Pipeline } from './pipeline.ts';
import type { RouteTable } from './routing/table.ts';

/** A request handler for Node, and for hosts that answer what is not ours. */
export type Callback = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;

/** The address that links begin with; undefined: the one that a request came to. */
export interface PublicUrl {
	readonly publicUrl: string | undefined;
}

/** The ways into the pipeline: a listener of the app's own, a host's server, a Koa host, and `fetch`. */
export class HttpServer {
	readonly #pipeline: Pipeline;
	readonly #exchanges: Exchanges;
	readonly #availability: Availability;
	readonly #routes: RouteTable;
	readonly #listener: Listener;
	readonly #publicUrl: string | undefined;

	constructor(
		pipeline: Pipeline,
		exchanges: Exchanges,
		availability: Availability,
		routes: RouteTable,
		listener: Listener,
		{ publicUrl }: PublicUrl,
	) {
		this.#pipeline = pipeline;
		this.#exchanges = exchanges;
		this.#availability = availability;
		this.#routes = routes;
		this.#listener = listener;
		this.#publicUrl = publicUrl;
	}

	/** Whether `listen` has opened a server. */
	get listening(): boolean {
		return this.#listener.address !== undefined;
	}

	/** How many requests are being answered. */
	get inFlight(): number {
		return this.#exchanges.size;
	}

	/**
	 * A handler for `node:http`, Express and the like. With `next`, paths that are not ours go on to the host.
	 * `req.originalUrl` tells what the host has stripped from `req.url`.
	 */
	callback({ prefix, host }: Mount = {}): Callback {
		const plain = plainPrefix(prefix);
		return (req, res, next) => {
			const target = targetBelow(req, plain) ?? outside;
			if (next && !this.#routes.isOurs(target.path)) return next();
			void this.#handle(req, res, connectionUrl(req), { target, host });
		};
	}

	/** The same for a Koa host, whose context an authenticator gets. */
	middleware({ prefix, host }: Mount = {}): HostMiddleware {
		const plain = plainPrefix(prefix);
		return (ctx, next) => {
			const { req, res } = ctx;
			const target = targetBelow(req, plain, ctx.originalUrl);
			if (!target || !this.#routes.isOurs(target.path)) return next();
			ctx.respond = false;
			// A body parser of the host leaves the body there.
			const hostBody = () => ((ctx as Koa.Context).request as { body?: unknown }).body;
			const entry = { target, host: host ?? [ctx], hostBody };
			return this.#handle(req, res, connectionUrl(req), entry);
		};
	}

	/** Answers one fetch request without a socket. With `next`, paths that are not ours go on to the host. */
	async fetch(
		request: Request,
		{ prefix, host = [request] }: Mount = {},
		next?: () => Response | Promise<Response>,
	): Promise<Response> {
		const { origin, pathname, search } = new URL(request.url);
		const target = targetBelow({ url: `${pathname}${search}` }, plainPrefix(prefix)) ?? outside;
		if (next && !this.#routes.isOurs(target.path)) return next();
		// Most servers have a socket and never need it.
		const { carryFetch } = await import('./hosts/fetch.ts');
		return carryFetch(request, (req, res) => {
			if (request.bodyUsed) markTaken(req);
			void this.#handle(req, res, origin, { target, host });
		});
	}

	/** Opens a server of the app's own. Rejects when the address cannot be had. */
	listen(options: { readonly host: string; readonly port: number }): Promise<Address> {
		return this.#listener.open(options, (req, res, hooks) => {
			const target = targetBelow(req, '') ?? outside;
			const url = this.#listener.address?.url ?? connectionUrl(req);
			void this.#handle(req, res, url, { target, hooks });
		});
	}

	/** Describes all routes as OpenAPI 3.1. */
	openapi(): object {
		const own = this.#listener.address?.url ?? 'http://localhost';
		return this.#routes.describe(linkBase(this.#publicUrl, own));
	}

	/** From now on every answer ends its connection, so that clients have left before the listener is closed. */
	endKeepAlive(): void {
		this.#listener.endKeepAlive();
	}

	/**
	 * Closes the listener that `listen` opened; its busy connections end behind their answers. Resolves when none is
	 * left.
	 */
	stopAccepting(): Promise<void> {
		this.#availability.stop();
		return this.#listener.stop();
	}

	/** Closes the connections that `stopAccepting` still waits for. */
	close(): void {
		this.#listener.close();
	}

	/** Resolves when no request is being answered, whoever carries it. */
	drained(): Promise<void> {
		return this.#exchanges.drained();
	}

	/** Aborts the signal of every request. */
	abortAll(): void {
		this.#exchanges.abortAll();
	}

	/** `url` is the address that the request came to. */
	#handle(req: IncomingMessage, res: ServerResponse, url: string, entry: Omit<Entry, 'publicUrl'>): Promise<void> {
		const publicUrl = linkBase(this.#publicUrl, url, entry.target.before);
		return this.#pipeline.handle(req, res, { ...entry, publicUrl });
	}
}
