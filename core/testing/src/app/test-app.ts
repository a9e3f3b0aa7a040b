import { type App, type AppConfig, type Authenticator, createApp, type Logger, services } from '@plinth/core';
import { fakeBackend } from '../fakes/fake-backend.ts';
import { silentLogger } from '../fakes/silent-logger.ts';
import { type ManualClock, manualClock } from '../manual-clock.ts';
import { type Requests, requestsTo } from './requests.ts';

/** The parts of a test app. Parts that are not given are fakes. */
export interface TestAppOptions
	extends Pick<AppConfig, 'server' | 'jobs' | 'backends' | 'models' | 'groups' | 'plugins'> {
	/** The key of requests that set none: `tenant`, or `tenant.scope+scope`. `alice` unless set. */
	readonly key?: string;
	/** A clock that the test shares with other parts; a new {@link manualClock} unless set. */
	readonly clock?: ManualClock;
	/** Uses the system's clock instead of `clock`, so that timers fire by themselves. */
	readonly realTime?: boolean;
	/** By default {@link silentLogger}. */
	readonly log?: Logger;
	/** Environment variables that the config may reference; none unless set. */
	readonly env?: Readonly<Record<string, string>>;
	/** The test runner's hook: it receives the function that stops the app when the test has finished. */
	readonly onTestFinished?: (stop: () => Promise<void>) => void;
}

/** A running app and the requests to it. */
export interface TestApp extends Requests {
	readonly app: App;
	readonly clock: ManualClock;
	/** Stops the app. Needed only without `onTestFinished`. */
	stop(): Promise<void>;
}

/**
 * Boots the real kernel with the given parts, without log, port and environment. Time moves only by `clock.advance`.
 * Every key is valid: `alice` has all scopes of the tenant `alice`, `bob.videos:read+files` has two scopes of `bob`.
 * The key `nobody` is refused. `backends.auth` replaces this. Rejects with a `BootError`, as `createApp` does.
 */
export async function testApp(options: TestAppOptions): Promise<TestApp> {
	const { clock = manualClock(), log = silentLogger(), env = {}, key = 'alice', realTime = false } = options;
	const { server, jobs, backends, models, groups, plugins } = options;
	const app = await createApp(
		{
			server: { drainDelayMs: 0, graceMs: 50, ...server },
			backends: { auth: fakeBackend(services.authenticator, anyKey), ...backends },
			...(jobs ? { jobs } : {}),
			...(models ? { models } : {}),
			...(groups ? { groups } : {}),
			...(plugins ? { plugins } : {}),
		},
		{ log, env, ...(realTime ? {} : { clock }) },
	);
	const stop = () => app.stop();
	options.onTestFinished?.(stop);
	return { app, clock, stop, ...requestsTo(app, key) };
}

const anyKey: Authenticator = {
	async authenticate(key) {
		const [tenant = '', ...scopes] = key.split('.');
		if (tenant === 'nobody') return null;
		return { id: key, tenant, scopes: scopes.length > 0 ? scopes.join('.').split('+') : ['*'] };
	},
};
