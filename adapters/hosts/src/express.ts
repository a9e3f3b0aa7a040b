import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '@plinth/core';
import type { Mounting } from './mounting.ts';

/** A handler of Express, Connect and NestJS on Express. */
export type ExpressHandler = (
	req: IncomingMessage,
	res: ServerResponse,
	next: (error?: unknown) => void,
) => void;

/**
 * Mounts an app in Express: `server.use('/ai', plinth(app))`. The mount path needs no `prefix`: Express strips it and
 * tells. Paths that are not ours go on to the host. Put it before body parsers.
 */
export function plinth(app: App, mounting: Mounting = {}): ExpressHandler {
	return app.callback(mounting);
}
