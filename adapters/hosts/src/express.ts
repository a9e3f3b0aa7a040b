import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '@plinth/core';
import type { MountOptions } from './mounting.ts';

/** A handler of Express, Connect and NestJS on Express. */
export type ExpressHandler = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * Mounts an app in Express: `server.use('/ai', plinth(app))`. The mount path needs no `prefix`, because
 * Express strips it. Paths that Plinth does not serve are passed on to the host. Mount it before body parsers.
 */
export function plinth(app: App, options: MountOptions = {}): ExpressHandler {
	return app.callback(options);
}
