import type { Middleware } from '../../contract/http/middleware.ts';
import type { ModelInfo } from '../../contract/model.ts';
import type { Authenticator } from '../../contract/ports/authenticator.ts';
import type { Clock } from '../../contract/ports/clock.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import { Exchanges } from '../../http/exchanges.ts';
import { Admission, type LoadLimits } from '../../http/gate/admission.ts';
import { type AuthFailureLimits, AuthFailures } from '../../http/gate/auth-failures.ts';
import { Authentication } from '../../http/gate/authentication.ts';
import { Availability, type WhenReady } from '../../http/gate/availability.ts';
import { Cors } from '../../http/gate/cors.ts';
import { Listener } from '../../http/listener.ts';
import { Pipeline } from '../../http/pipeline.ts';
import { type PluginRouteList, RouteCatalog } from '../../http/routing/catalog.ts';
import type { Readiness } from '../../http/routing/system.ts';
import { RouteTable } from '../../http/routing/table.ts';
import { HttpServer, type PublicUrl } from '../../http/server.ts';
import { type KernelContainer, type Token, token, wire } from './container.ts';

const routeList = token<PluginRouteList>('PluginRouteList');
const middlewares = token<readonly Middleware[]>('Middlewares');
const readiness = token<Readiness>('Readiness');
const models = token<() => readonly ModelInfo[]>('Models');
const authenticator = token<Authenticator>('Authenticator');
const failureLimits = token<AuthFailureLimits>('AuthFailureLimits');
const load = token<LoadLimits>('LoadLimits');
const connections = token<number>('Connections');
const origins = token<readonly string[]>('Origins');
const whenReady = token<WhenReady>('WhenReady');
const publicUrl = token<PublicUrl>('PublicUrl');

const catalog = token<RouteCatalog>('RouteCatalog');
const table = token<RouteTable>('RouteTable');
const exchanges = token<Exchanges>('Exchanges');
const cors = token<Cors>('Cors');
const availability = token<Availability>('Availability');
const failures = token<AuthFailures>('AuthFailures');
const authentication = token<Authentication>('Authentication');
const admission = token<Admission>('Admission');
const pipeline = token<Pipeline>('Pipeline');
const listener = token<Listener>('Listener');
const server = token<HttpServer>('HttpServer');

/** What backends, plugins and the config bring for HTTP. */
export interface HttpPorts {
	readonly routes: PluginRouteList;
	/** Around every route, the first one outermost. */
	readonly middlewares: readonly Middleware[];
	readonly readiness: Readiness;
	readonly models: () => readonly ModelInfo[];
	readonly authenticator: Authenticator;
	readonly authFailures: AuthFailureLimits;
	readonly load: LoadLimits;
	/** Connections that the listener holds at most. */
	readonly connections: number;
	/** Origins whose pages may read answers. */
	readonly cors: readonly string[];
	readonly whenReady: WhenReady;
	readonly publicUrl: string | undefined;
}

/** Declares what the parts of HTTP are built with. Clock and log are the kernel's. */
export function wireHttp(clock: Token<Clock>, log: Token<Logger>): void {
	wire(RouteCatalog, routeList, readiness, models);
	wire(RouteTable, catalog, middlewares);
	wire(Exchanges, clock, log);
	wire(Cors, origins, table);
	wire(Availability, whenReady, table);
	wire(AuthFailures, failureLimits);
	wire(Authentication, authenticator, failures, table);
	wire(Admission, load);
	wire(Pipeline, exchanges, cors, availability, authentication, admission, table);
	wire(Listener, log, connections);
	wire(HttpServer, pipeline, exchanges, availability, table, catalog, listener, publicUrl);
}

/** Builds the parts of HTTP in a container that has clock and log. */
export function buildHttp(container: KernelContainer, ports: HttpPorts): HttpServer {
	container
		.value(routeList, ports.routes)
		.value(middlewares, ports.middlewares)
		.value(readiness, ports.readiness)
		.value(models, ports.models)
		.value(authenticator, ports.authenticator)
		.value(failureLimits, ports.authFailures)
		.value(load, ports.load)
		.value(connections, ports.connections)
		.value(origins, ports.cors)
		.value(whenReady, ports.whenReady)
		.value(publicUrl, { publicUrl: ports.publicUrl });
	container.build(catalog, RouteCatalog);
	container.build(table, RouteTable);
	container.build(exchanges, Exchanges);
	container.build(cors, Cors);
	container.build(availability, Availability);
	container.build(failures, AuthFailures);
	container.build(authentication, Authentication);
	container.build(admission, Admission);
	container.build(pipeline, Pipeline);
	container.build(listener, Listener);
	return container.build(server, HttpServer);
}
