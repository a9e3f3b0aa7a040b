import type Koa from 'koa';
import type { Exchange, ListenerHooks } from './exchange.ts';

/** The path and the query of a request, relative to the mount. */
export interface Target {
	readonly path: string;
	readonly query: string;
	/** The client's path up to `path`: the part that the host has stripped, and the prefix. Empty without a mount. */
	readonly basePath: string;
}

/** How a request reached the app. */
export interface Entry {
	readonly target: Target;
	/** The base of absolute links in the response. */
	readonly publicUrl: string;
	/** Present when the app's own listener has received the request. */
	readonly hooks?: ListenerHooks | undefined;
	/** The arguments for an authenticator that identifies callers through the host; by default the request. */
	readonly host?: readonly unknown[] | undefined;
	/** Returns the body that a body parser of a Koa host has read. */
	readonly hostBody?: () => unknown;
}

/** A body before validation. */
export interface Body {
	readonly value: unknown;
	/** Deletes temporary files. */
	release(): Promise<void>;
}

/** The data about a request that the middleware of the pipeline share, as `ctx.state`. */
export interface RequestState {
	readonly entry: Entry;
	readonly exchange: Exchange;
}

export type Context = Koa.ParameterizedContext<RequestState>;

export type Next = () => Promise<unknown>;

export type HttpMiddleware = (ctx: Context, next: Next) => Promise<unknown>;
