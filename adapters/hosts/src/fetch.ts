import type { App } from '@plinth/core';
import type { MountOptions } from './mounting.ts';

/** A web-standard handler; `context` has the host's further arguments. */
export type FetchHandler<C extends readonly unknown[]> = (request: Request, ...context: C) => Promise<Response>;

/** Options of mounting an app in a web-standard handler. */
export interface FetchMountOptions<C extends readonly unknown[]> extends MountOptions {
	/** Handles paths that Plinth does not serve; without it they get 404. */
	readonly next?: (request: Request, ...context: C) => Response | Promise<Response>;
}

/**
 * Mounts an app as `(request, …context) => Response`, as in route handlers of Next.js: `export const POST =
 * plinth(app, { prefix: '/ai' })`. An authenticator of the host receives the request and the context.
 */
export function plinth<const C extends readonly unknown[]>(
	app: App,
	{ next, ...options }: FetchMountOptions<C> = {},
): FetchHandler<C> {
	return (request, ...context) =>
		app.fetch(request, { ...options, host: [request, ...context] }, next && (() => next(request, ...context)));
}
