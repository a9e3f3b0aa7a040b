import type { RequestListener } from 'node:http';
import type { App } from '@plinth/core';
import type { MountOptions } from './mounting.ts';

/** Where an app hangs in a server of Node. */
export interface NodeMountOptions extends MountOptions {
	/** Answers what is not ours; without it that reads 404. */
	readonly next?: RequestListener;
}

/** Mounts an app in a server of Node: `createServer(plinth(app, { prefix: '/ai', next }))`. */
export function plinth(app: App, { next, ...options }: NodeMountOptions = {}): RequestListener {
	const handle = app.callback(options);
	return (req, res) => handle(req, res, next && (() => next(req, res)));
}
