import type { Clock } from '../../contract/ports/clock.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import { services } from '../../contract/services.ts';
import { Admission } from '../../http/gate/admission.ts';
import { AuthFailures } from '../../http/gate/auth-failures.ts';
import { Authentication, openAuthenticator } from '../../http/gate/authentication.ts';
import { Listener } from '../../http/listener.ts';
import { Pipeline } from '../../http/pipeline.ts';
import { RouteTable } from '../../http/routing/table.ts';
import { HttpServer } from '../../http/server.ts';
import type { ModelDirectory } from '../../models/directory.ts';
import type { BootPlan } from '../boot/plan.ts';
import type { PluginSetups } from '../boot/setup.ts';
import { createReadiness } from '../run/readiness.ts';
import type { RunningApp } from '../run/running.ts';
import { type Token, token, wire } from './container.ts';
import type { Registry } from './registry.ts';

/** What the parts of HTTP are built with. */
export interface HttpTokens {
	readonly plan: Token<BootPlan>;
	readonly clock: Token<Clock>;
	readonly log: Token<Logger>;
	readonly registry: Token<Registry>;
	readonly models: Token<ModelDirectory>;
	readonly setups: Token<PluginSetups>;
	readonly app: Token<RunningApp>;
}

const table = token<RouteTable>('RouteTable');
const authentication = token<Authentication>('Authentication');
const pipeline = token<Pipeline>('Pipeline');
const server = token<HttpServer>('HttpServer');

/** Declares how the parts of HTTP are built, and returns the token of the server. */
export function wireHttp({ plan, clock, log, registry, models, setups, app }: HttpTokens): Token<HttpServer> {
	wire(table, (get) => {
		const { routes, middlewares } = get(setups);
		routes.freeze();
		const surroundings = { registry: get(registry), clock: get(clock), log: get(log) };
		const readiness = createReadiness(() => get(app).state, surroundings);
		return new RouteTable({
			owners: routes.owners,
			middlewares,
			readiness,
			models: () => get(models).list(),
		});
	});
	wire(authentication, (get) => {
		const { auth, authFailuresPerMinute: perMinute, trustedProxies } = get(plan).server;
		const found = auth === 'off' ? undefined : get(registry).find(services.authenticator);
		found?.booted?.();
		const failures = new AuthFailures({ perMinute, trustedProxies });
		return new Authentication(found ?? openAuthenticator, failures);
	});
	wire(
		pipeline,
		(get) =>
			new Pipeline({
				clock: get(clock),
				log: get(log),
				cors: get(plan).server.cors,
				authentication: get(authentication),
				admission: new Admission(get(plan).server.limits),
				routes: get(table),
				// The app is built with its server, so it is looked up when the first request comes.
				whenReady: () => get(app).whenReady(),
			}),
	);
	wire(server, (get) => {
		const { limits, publicUrl } = get(plan).server;
		const listener = new Listener(get(log), limits.connections);
		const parts = { pipeline: get(pipeline), routes: get(table) };
		return new HttpServer({ ...parts, listener, publicUrl });
	});
	return server;
}
