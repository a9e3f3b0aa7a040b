import type { App } from '@plinth/core';
import type { Mounting } from './mounting.ts';

/** A web-standard handler; what hosts pass beside the request is theirs. */
export type FetchHandler<C extends readonly unknown[]> = (
	request: Request,
	...context: C
) => Promise<Response>;

/** Where an app hangs behind a web-standard handler. */
export interface FetchMounting<C extends readonly unknown[]> extends Mounting {
	/** Answers what is not ours; without it that reads 404. */
	readonly next?: (request: Request, ...context: C) => Response | Promise<Response>;
}

/**
 * Mounts an app behind `(request, …context) => Response`, as route handlers of Next.js and others are: `export const
 * POST = plinth(app, { prefix: '/ai' })`. An authenticator that asks the host gets the request and the context.
 */
export function plinth<const C extends readonly unknown[]>(
	app: App,
	{ next, ...mounting }: FetchMounting<C> = {},
): FetchHandler<C> {
	return (request, ...context) =>
		app.fetch(
			request,
			{ ...mounting, host: [request, ...context] },
			next && (() => next(request, ...context)),
		);
}
