import type { IncomingMessage, ServerResponse } from 'node:http';

/** Where an app hangs in a host, and what it learns from it. */
export interface Mount {
	/**
	 * What stands before our paths where the host leaves it in the address: `/ai`. What a host strips is found without
	 * it.
	 */
	readonly prefix?: string;
	/** What an authenticator that asks the host is called with; the request alone unless set. */
	readonly host?: readonly unknown[];
}

/** What is needed of the context of a Koa host: its own type would bring the types of Koa to everybody. */
export interface HostContext {
	readonly req: IncomingMessage;
	readonly res: ServerResponse;
	/** The target before the host has changed it. */
	readonly originalUrl: string;
	/** False: the host leaves the answer to the middleware. */
	respond?: boolean | undefined;
}

/** A middleware for Koa. */
export type HostMiddleware = (ctx: HostContext, next: () => Promise<unknown>) => Promise<unknown>;
