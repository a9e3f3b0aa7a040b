import type { RequestListener } from 'node:http';
import type { App } from '@plinth/core';
import type { Mounting } from './mounting.ts';

/** Where an app hangs in a server of Node. */
export interface NodeMounting extends Mounting {
	/** Answers what is not ours; without it that reads 404. */
	readonly next?: RequestListener;
}

/** Mounts an app in a server of Node: `createServer(plinth(app, { prefix: '/ai', next }))`. */
export function plinth(app: App, { next, ...mounting }: NodeMounting = {}): RequestListener {
	const handle = app.callback(mounting);
	return (req, res) => handle(req, res, next && (() => next(req, res)));
}
