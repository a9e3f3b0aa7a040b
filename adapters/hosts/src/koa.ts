import type { App } from '@plinth/core';
import type Koa from 'koa';
import type { Mounting } from './mounting.ts';

/**
 * Mounts an app in Koa: `koa.use(plinth(app, { prefix: '/ai' }))`. Below `koa-mount` it needs no `prefix`. Paths that
 * are not ours go on to the next middleware. Put it before body parsers.
 */
export function plinth(app: App, mounting: Mounting = {}): Koa.Middleware {
	return app.middleware(mounting);
}
