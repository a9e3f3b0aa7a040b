import type Koa from 'koa';
import type { Exchange, ListenerHooks } from './exchange.ts';

/** Where a request leads, seen from the mount. */
export interface Target {
	/** Without everything that stands before it. */
	readonly path: string;
	/** Without the question mark. */
	readonly query: string;
	/** All that clients send before `path`: what the host has stripped, and the prefix. Empty without a mount. */
	readonly before: string;
}

/** How a request reached the app. */
export interface Entry {
	readonly target: Target;
	/** What absolute links of its answer begin with. */
	readonly publicUrl: string;
	/** Present when the request came through the app's own listener. */
	readonly hooks?: ListenerHooks | undefined;
	/** What an authenticator that asks the host is called with; the request itself unless set. */
	readonly host?: readonly unknown[] | undefined;
	/** What a body parser of a Koa host has left. */
	readonly hostBody?: () => unknown;
}

/** What the middleware of the pipeline share about a request, as `ctx.state`. */
export interface RequestState {
	readonly entry: Entry;
	readonly exchange: Exchange;
}

/** The Koa context of one request. */
export type Context = Koa.ParameterizedContext<RequestState>;

/** Runs the rest of the pipeline. */
export type Next = () => Promise<unknown>;
