import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BootTree } from './boot-tree.ts';
import type { HostMiddleware, Mount } from './http/mount.ts';
import type { ServiceRef } from './service.ts';

/** A deployment in one process: serves HTTP and runs jobs. It never touches the process itself. */
export interface App {
	readonly state: 'created' | 'starting' | 'ready' | 'stopping' | 'stopped';
	/**
	 * Starts jobs and plugins; requests wait for it. `listen` calls it, and so does the first request. It does not keep
	 * the process alive: a listener does. Rejects with `E_STOPPING` once `stop` was called.
	 */
	start(): Promise<void>;
	/** Drains and closes everything in reverse, and flushes the log. A second call waits for the same stop. */
	stop(): Promise<void>;
	/** Opens a listener of its own. Defaults come from the config's `server` section. */
	listen(options?: { host?: string; port?: number }): Promise<{ url: string; host: string; port: number }>;
	/** A handler for `node:http`, Express and whatever takes `(req, res, next)`. */
	callback(mount?: Mount): (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;
	/** A middleware for a Koa app. */
	middleware(mount?: Mount): HostMiddleware;
	/** A web-standard handler. With `next`, paths that are not ours go on to the host. */
	fetch(request: Request, mount?: Mount, next?: () => Response | Promise<Response>): Promise<Response>;
	/** The OpenAPI 3.1 document of the composed routes. */
	openapi(): object;
	/** A service of the deployment. Throws when nothing provides it. */
	service<T>(ref: ServiceRef<T>): T;
	/** Has every model that can check itself do so, as `plinth check --online` does. One sentence for each problem. */
	checkModels(): Promise<readonly string[]>;
	/** What is composed, who needs what, and who provides it. */
	tree(): BootTree;
}
