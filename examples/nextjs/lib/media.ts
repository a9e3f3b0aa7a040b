import { type App, createApp } from '@plinth/core';
import { fromHost } from '@plinth/hosts';
import { embedded } from 'plinth';
import { signedIn, type User } from './sessions';

// Next bundles this file separately for routes, pages and instrumentation, but the process needs a single app.
const kept = globalThis as { media?: Promise<App> };

/** The Plinth app, created on first use because `next build` loads this file, too. */
export function media(): Promise<App> {
	kept.media ??= createApp({
		extends: embedded,
		backends: {
			auth: fromHost((request: Request, user: User | undefined = signedIn(request.headers)) => {
				return user && { id: user.id, tenant: user.team, scopes: ['*'] };
			}),
		},
	});
	return kept.media;
}
