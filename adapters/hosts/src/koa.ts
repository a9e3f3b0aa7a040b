import type { App } from '@plinth/core';
import type Koa from 'koa';
import type { MountOptions } from './mounting.ts';

/**
 * Mounts an app in Koa: `koa.use(plinth(app, { prefix: '/ai' }))`. With `koa-mount` it needs no `prefix`.
 * Paths that Plinth does not serve are passed on to the next middleware. Mount it before body parsers.
 */
export function plinth(app: App, options: MountOptions = {}): Koa.Middleware {
	return app.middleware(options);
}
