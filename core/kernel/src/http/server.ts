import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ListenOptions } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type Koa from 'koa';
import type { Address, App, HostMiddleware, Mount } from '../contract/app.ts';
import { markBodyConsumed } from './bodies/body.ts';
import type { Entry, Target } from './context.ts';
import type { Listener } from './listener.ts';
import type { Pipeline } from './pipeline.ts';
import type { RouteTable } from './routing/table.ts';

export interface ServerParts {
	readonly pipeline: Pipeline;
	readonly routes: RouteTable;
	readonly listener: Listener;
	/** The base address of links; undefined: the address that received the request. */
	readonly publicUrl: string | undefined;
}

/** The entry points of the pipeline: the app's own listener, a host's server, a Koa host, and `fetch`. */
export class HttpServer {
	readonly pipeline: Pipeline;
	readonly listener: Listener;
	readonly #parts: ServerParts;

	constructor(parts: ServerParts) {
		this.pipeline = parts.pipeline;
		this.listener = parts.listener;
		this.#parts = parts;
	}

	/** A handler for `node:http` and Express. With `next`, paths that the app does not handle are passed to the host. */
	callback({ prefix, host }: Mount = {}): ReturnType<App['callback']> {
		const base = normalizedPrefix(prefix);
		return (req, res, next) => {
			const target = targetBelow(req, base) ?? outsideMount;
			if (next && !this.#parts.routes.handles(target.path)) return next();
			void this.#handle(req, res, connectionUrl(req), { target, host });
		};
	}

	/** The same for a Koa host. By default the context of Koa is the argument of an authenticator. */
	middleware({ prefix, host }: Mount = {}): HostMiddleware {
		const base = normalizedPrefix(prefix);
		return (ctx, next) => {
			const { req, res } = ctx;
			const target = targetBelow(req, base, ctx.originalUrl);
			if (!target || !this.#parts.routes.handles(target.path)) return next();
			ctx.respond = false;
			// Body parsers of Koa store the body there.
			const hostBody = () => ((ctx as Koa.Context).request as { body?: unknown }).body;
			return this.#handle(req, res, connectionUrl(req), { target, host: host ?? [ctx], hostBody });
		};
	}

	/** Handles one fetch request without a socket. With `next`, paths that the app does not handle go to the host. */
	async fetch(
		request: Request,
		{ prefix, host = [request] }: Mount = {},
		next?: () => Response | Promise<Response>,
	): Promise<Response> {
		const { origin, pathname, search } = new URL(request.url);
		const target = targetBelow({ url: `${pathname}${search}` }, normalizedPrefix(prefix)) ?? outsideMount;
		if (next && !this.#parts.routes.handles(target.path)) return next();
		// Loaded on demand: most servers never handle a fetch request.
		const { handleFetch } = await import('./fetch.ts');
		return handleFetch(request, (req, res) => {
			if (request.bodyUsed) markBodyConsumed(req);
			void this.#handle(req, res, origin, { target, host });
		});
	}

	/** Opens the app's own server. Rejects when the address is in use or not available. */
	listen(options: ListenOptions): Promise<Address> {
		const { listener } = this;
		return listener.open(options, (req, res, hooks) => {
			const target = targetBelow(req, '') ?? outsideMount;
			void this.#handle(req, res, listener.address?.url ?? connectionUrl(req), { target, hooks });
		});
	}

	openapi(): object {
		const { routes, publicUrl } = this.#parts;
		return routes.describe(linkBase(publicUrl, this.listener.address?.url ?? 'http://localhost'));
	}

	stopAccepting(): Promise<void> {
		this.pipeline.stop();
		return this.listener.stop();
	}

	/** `url` is the address that received the request. */
	#handle(req: IncomingMessage, res: ServerResponse, url: string, entry: Omit<Entry, 'publicUrl'>): Promise<void> {
		const publicUrl = linkBase(this.#parts.publicUrl, url, entry.target.basePath);
		return this.pipeline.handle(req, res, { ...entry, publicUrl });
	}
}

/** The local address of a request's connection. No header is trusted. */
export function connectionUrl(req: IncomingMessage): string {
	const { localAddress, localPort, encrypted } = (req.socket ?? {}) as Partial<TLSSocket>;
	if (!localAddress || !localPort) return 'http://localhost';
	const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '');
	const host = address.includes(':') ? `[${address}]` : address;
	return `${encrypted ? 'https' : 'http'}://${host}:${localPort}`;
}

/** The target of a request outside the mount: no route has this path. */
const outsideMount: Target = { path: '*', query: '', basePath: '' };

/** Returns `/ai` for `/ai/`, and an empty string for `/`. */
export function normalizedPrefix(prefix = ''): string {
	const name = prefix.replace(/^\/+|\/+$/g, '');
	return name && `/${name}`;
}

/** Undefined when the request is not below the normalized `prefix`. `original`: the URL before the host changed it. */
export function targetBelow(
	req: Pick<IncomingMessage, 'url'>,
	prefix: string,
	original = (req as { originalUrl?: unknown }).originalUrl,
): Target | undefined {
	const { path, query } = targetOf(req);
	if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined;
	const stripped = typeof original === 'string' ? strippedFrom(original, path) : '';
	return { path: path.slice(prefix.length) || '/', query, basePath: stripped + prefix };
}

/** The base of links without a trailing slash: `configured` or `own`, and `basePath` unless `configured` has a path. */
export function linkBase(configured: string | undefined, own: string, basePath = ''): string {
	if (configured === undefined) return `${own}${basePath}`;
	const url = configured.replace(/\/+$/, '');
	return new URL(url).pathname === '/' ? `${url}${basePath}` : url;
}

/** The path and the query of a request, also in the absolute form of RFC 9112 §3.2.2. */
function targetOf(req: Pick<IncomingMessage, 'url'>): Pick<Target, 'path' | 'query'> {
	const target = (req.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
	const pathEnd = target.indexOf('?');
	if (pathEnd === -1) return { path: target || '/', query: '' };
	return { path: target.slice(0, pathEnd) || '/', query: target.slice(pathEnd + 1) };
}

function strippedFrom(original: string, path: string): string {
	const { path: sent } = targetOf({ url: original });
	if (sent.endsWith(path)) return sent.slice(0, sent.length - path.length);
	// Below a mount at '/ai', Express passes '/' for '/ai'.
	return path === '/' ? sent : '';
}
