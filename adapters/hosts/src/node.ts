import type { RequestListener } from 'node:http';
import type { App } from '@plinth/core';
import type { MountOptions } from './mounting.ts';

/** Options of mounting an app in a Node server. */
export interface NodeMountOptions extends MountOptions {
	/** Handles paths that Plinth does not serve; without it they get 404. */
	readonly next?: RequestListener;
}

/** Mounts an app in a Node server: `createServer(plinth(app, { prefix: '/ai', next }))`. */
export function plinth(app: App, { next, ...options }: NodeMountOptions = {}): RequestListener {
	const handle = app.callback(options);
	return (req, res) => handle(req, res, next && (() => next(req, res)));
}
