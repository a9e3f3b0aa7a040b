import type { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { HostMiddleware, Mount } from '../contract/http/mount.ts';
import { markTaken } from './bodies/body.ts';
import type { Entry, Target } from './context.ts';
import type { Address, Listener } from './listener.ts';
import type { Pipeline } from './pipeline.ts';
import type { RouteTable } from './routing/table.ts';

/** A request handler for Node, and for hosts that answer what is not ours. */
export type Callback = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;

/** What the server is built with. */
export interface ServerParts {
	readonly pipeline: Pipeline;
	readonly routes: RouteTable;
	readonly listener: Listener;
	/** The address that links begin with; undefined: the one that a request came to. */
	readonly publicUrl: string | undefined;
}

/** The ways into the pipeline: a listener of the app's own, a host's server, a Koa host, and `fetch`. */
export class HttpServer {
	readonly pipeline: Pipeline;
	readonly listener: Listener;
	readonly #parts: ServerParts;

	constructor(parts: ServerParts) {
		this.pipeline = parts.pipeline;
		this.listener = parts.listener;
		this.#parts = parts;
	}

	/** A handler for `node:http` and Express. With `next`, paths that are not ours go on to the host. */
	callback({ prefix, host }: Mount = {}): Callback {
		const plain = plainPrefix(prefix);
		return (req, res, next) => {
			const target = targetBelow(req, plain) ?? outside;
			if (next && !this.#parts.routes.isOurs(target.path)) return next();
			void this.#handle(req, res, connectionUrl(req), { target, host });
		};
	}

	/** The same for a Koa host, whose context an authenticator gets. */
	middleware({ prefix, host }: Mount = {}): HostMiddleware {
		const plain = plainPrefix(prefix);
		return (ctx, next) => {
			const { req, res } = ctx;
			const target = targetBelow(req, plain, ctx.originalUrl);
			if (!target || !this.#parts.routes.isOurs(target.path)) return next();
			ctx.respond = false;
			// A body parser of the host leaves the body there.
			const hostBody = () => ((ctx as Koa.Context).request as { body?: unknown }).body;
			return this.#handle(req, res, connectionUrl(req), { target, host: host ?? [ctx], hostBody });
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
		if (next && !this.#parts.routes.isOurs(target.path)) return next();
		// Most servers have a socket and never need it.
		const { carryFetch } = await import('./fetch.ts');
		return carryFetch(request, (req, res) => {
			if (request.bodyUsed) markTaken(req);
			void this.#handle(req, res, origin, { target, host });
		});
	}

	/** Opens a server of the app's own. Rejects when the address is taken or not available. */
	listen(options: { readonly host: string; readonly port: number }): Promise<Address> {
		const { listener } = this;
		return listener.open(options, (req, res, hooks) => {
			const target = targetBelow(req, '') ?? outside;
			void this.#handle(req, res, listener.address?.url ?? connectionUrl(req), { target, hooks });
		});
	}

	/** Describes all routes as OpenAPI 3.1. */
	openapi(): object {
		const { routes, publicUrl } = this.#parts;
		return routes.describe(linkBase(publicUrl, this.listener.address?.url ?? 'http://localhost'));
	}

	/** Closes the listener; busy connections end behind their answers. Resolves when none is left. */
	stopAccepting(): Promise<void> {
		this.pipeline.stop();
		return this.listener.stop();
	}

	/** `url` is the address that the request came to. */
	#handle(req: IncomingMessage, res: ServerResponse, url: string, entry: Omit<Entry, 'publicUrl'>): Promise<void> {
		const publicUrl = linkBase(this.#parts.publicUrl, url, entry.target.before);
		return this.pipeline.handle(req, res, { ...entry, publicUrl });
	}
}

/** The address of the connection that a request came on. No header is trusted. */
export function connectionUrl(req: IncomingMessage): string {
	const { localAddress, localPort, encrypted } = (req.socket ?? {}) as {
		localAddress?: string;
		localPort?: number;
		encrypted?: boolean;
	};
	if (!localAddress || !localPort) return 'http://localhost';
	const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '');
	const host = address.includes(':') ? `[${address}]` : address;
	return `${encrypted ? 'https' : 'http'}://${host}:${localPort}`;
}

/** A path outside the mount: no route has it. */
const outside: Target = { path: '*', query: '', before: '' };

/** `/ai` for `/ai/`, and nothing for `/`. */
export function plainPrefix(prefix = ''): string {
	const name = prefix.replace(/^\/+|\/+$/g, '');
	return name && `/${name}`;
}

/**
 * Finds where a request leads; undefined when it is not below `prefix`, which comes from {@link plainPrefix}.
 * `original` is the target as the client has sent it, where the host has changed `req.url`.
 */
export function targetBelow(
	req: Pick<IncomingMessage, 'url'>,
	prefix: string,
	original = (req as { originalUrl?: unknown }).originalUrl,
): Target | undefined {
	const { path, query } = targetOf(req);
	if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined;
	const stripped = typeof original === 'string' ? strippedFrom(original, path) : '';
	return { path: path.slice(prefix.length) || '/', query, before: stripped + prefix };
}

/** What links begin with, without a trailing slash: the configured address, else `own`, and then `before`. */
export function linkBase(configured: string | undefined, own: string, before = ''): string {
	if (configured === undefined) return `${own}${before}`;
	const url = configured.replace(/\/+$/, '');
	return new URL(url).pathname === '/' ? `${url}${before}` : url;
}

/** The path and the query of a request, also in the absolute form of RFC 9112 §3.2.2. */
function targetOf(req: Pick<IncomingMessage, 'url'>): Pick<Target, 'path' | 'query'> {
	const target = (req.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
	const mark = target.indexOf('?');
	if (mark === -1) return { path: target || '/', query: '' };
	return { path: target.slice(0, mark) || '/', query: target.slice(mark + 1) };
}

function strippedFrom(original: string, path: string): string {
	const { path: sent } = targetOf({ url: original });
	if (sent.endsWith(path)) return sent.slice(0, sent.length - path.length);
	// Express has '/' for '/ai'.
	return path === '/' ? sent : '';
}
