import type { IncomingMessage, ServerResponse } from 'node:http';

/** How a host mounts an app. */
export interface Mount {
	/** The prefix of our paths, such as `/ai`, unless the host strips it from the address. */
	readonly prefix?: string;
	/** The arguments of `identify` of an authenticator that asks the host; the request alone unless set. */
	readonly host?: readonly unknown[];
}

/** A middleware for Koa, without the types of Koa. */
export type HostMiddleware = (
	ctx: {
		readonly req: IncomingMessage;
		readonly res: ServerResponse;
		readonly originalUrl: string;
		respond?: boolean | undefined;
	},
	next: () => Promise<unknown>,
) => Promise<unknown>;
