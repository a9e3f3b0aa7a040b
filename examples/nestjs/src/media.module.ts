import type { IncomingMessage } from 'node:http';
import { type BeforeApplicationShutdown, Inject, Module } from '@nestjs/common';
import { type App, createApp } from '@plinth/core';
import { fromHost } from '@plinth/hosts';
import { embedded } from 'plinth';
import { Sessions } from './sessions.js';

/** The injection token of the Plinth app. */
export const MEDIA = Symbol('MEDIA');

/** Creates the Plinth app, which uses {@link Sessions} to identify callers, and stops it when Nest stops. */
@Module({
	providers: [
		Sessions,
		{
			provide: MEDIA,
			inject: [Sessions],
			useFactory: (sessions: Sessions) =>
				createApp({
					extends: embedded,
					backends: {
						auth: fromHost(({ headers }: IncomingMessage) => {
							const user = sessions.find(headers.authorization);
							return user && { id: user.id, tenant: user.team, scopes: ['*'] };
						}),
					},
				}),
		},
	],
	exports: [Sessions],
})
export class MediaModule implements BeforeApplicationShutdown {
	constructor(@Inject(MEDIA) private readonly media: App) {}

	// Nest still listens at this point and then waits for its connections, so event streams must end before.
	beforeApplicationShutdown(): Promise<void> {
		return this.media.stop();
	}
}
