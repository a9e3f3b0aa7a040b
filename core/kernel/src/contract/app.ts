import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ModelInfo } from './model.ts';
import type { ServiceRef } from './service.ts';

/** A deployment in one process: serves HTTP and runs jobs. It sets no signal handlers and never ends the process. */
export interface App {
	readonly state: 'created' | 'starting' | 'ready' | 'stopping' | 'stopped';
	/**
	 * Starts jobs and plugins. `listen` and the first request call it; requests wait until it has finished. Rejects with
	 * `E_STOPPING` after `stop` was called.
	 */
	start(): Promise<void>;
	/** Drains, closes everything in reverse order, and flushes the log. A second call waits for the same stop. */
	stop(): Promise<void>;
	/**
	 * Opens an HTTP listener; only that keeps the process alive. Defaults come from the config's `server` section. Linux
	 * distributes the connections over all processes that listen on a port with `reusePort` (`SO_REUSEPORT`).
	 */
	listen(options?: { host?: string; port?: number; reusePort?: boolean }): Promise<Address>;
	/** A handler for `node:http`, Express and every framework that calls `(req, res, next)`. */
	callback(mount?: Mount): (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;
	/** A middleware for a Koa app. */
	middleware(mount?: Mount): HostMiddleware;
	/** A web-standard handler. With `next`, requests for paths that the app does not serve are passed to the host. */
	fetch(request: Request, mount?: Mount, next?: () => Response | Promise<Response>): Promise<Response>;
	/** The OpenAPI 3.1 document of the composed routes. */
	openapi(): object;
	/** A service of the deployment. Throws when nothing provides it. */
	service<T>(ref: ServiceRef<T>): T;
	/** Calls `check` of every model that has it, as `plinth check --online` does. Returns one sentence per problem. */
	checkModels(): Promise<readonly string[]>;
	/** The parts of the deployment, and the services that each one needs and provides. */
	tree(): BootTree;
}

/** Where an app listens. */
export interface Address {
	/** Without a trailing slash; `localhost` stands for a wildcard address. */
	readonly url: string;
	readonly host: string;
	readonly port: number;
}

/** How a host mounts an app. */
export interface Mount {
	/** The prefix of the app's paths, such as `/ai`, unless the host removes it from the URL. */
	readonly prefix?: string;
	/** The arguments for `identify` of the authenticator. The default is the request alone. */
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

/** One part of a deployment. */
export interface TreePart {
	readonly owner: string;
	/** The name of its factory: `sqliteJobs`, `builtin.video`. For a pool, its members and weights: `a: 3, b: 1`. */
	readonly factory: string;
	/** `provider` is `backend jobs`, `kernel`, or null for an optional service that nothing provides. */
	readonly needs: readonly { readonly service: string; readonly provider: string | null }[];
	readonly provides: readonly string[];
	readonly routes: readonly string[];
	/** The kinds of jobs that a plugin runs. */
	readonly jobs: readonly string[];
}

/** A model or pool, and its fallback. */
export interface TreeModel extends ModelInfo {
	/** Ids or aliases, in the order in which they are called. */
	readonly fallback: readonly string[];
}

/** The composition of a deployment, for display. Parts are in the order of their creation. */
export interface BootTree {
	readonly parts: readonly TreePart[];
	/** All models, including those that `/v1/models` does not list. */
	readonly models: readonly TreeModel[];
	/** Models and pools of a preset whose kind no plugin consumes. */
	readonly unusedModels: readonly { readonly id: string; readonly kind: string }[];
	/** Every scope that a route requires, sorted. */
	readonly scopes: readonly string[];
}
