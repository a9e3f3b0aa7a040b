import type { IncomingMessage, ServerResponse } from 'node:http';

/** Where an app hangs in a host, and what it learns from it. */
export interface Mount {
	/** What stands before our paths, such as `/ai`, where the host leaves it in the address. */
	readonly prefix?: string;
	/** What an authenticator that asks the host is called with; the request alone unless set. */
	readonly host?: readonly unknown[];
}

/** A middleware for Koa. It names what it needs of a context: Koa's own types would reach everybody. */
export type HostMiddleware = (
	ctx: {
		readonly req: IncomingMessage;
		readonly res: ServerResponse;
		readonly originalUrl: string;
		respond?: boolean | undefined;
	},
	next: () => Promise<unknown>,
) => Promise<unknown>;
