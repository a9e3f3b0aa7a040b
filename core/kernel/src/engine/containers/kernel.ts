import type { Clock } from '../../contract/ports/clock.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import { services } from '../../contract/service.ts';
import { Admission } from '../../http/gate/admission.ts';
import { authFailures } from '../../http/gate/auth-failures.ts';
import { authentication, openAuthenticator } from '../../http/gate/authentication.ts';
import { Listener } from '../../http/listener.ts';
import { Pipeline } from '../../http/pipeline.ts';
import { RouteTable } from '../../http/routing/table.ts';
import { HttpServer } from '../../http/server.ts';
import { Housekeeping } from '../../jobs/housekeeping.ts';
import { JobService } from '../../jobs/jobs.ts';
import { JobWorker } from '../../jobs/worker.ts';
import { ModelDirectory } from '../../models/directory.ts';
import type { BootPlan } from '../boot/plan.ts';
import { type JobMachine, PluginSetups } from '../boot/setup.ts';
import { Lifecycle } from '../run/lifecycle.ts';
import { createReadiness } from '../run/readiness.ts';
import { RunningApp } from '../run/running.ts';
import { KernelContainer, token, wire } from './container.ts';
import { Registry } from './registry.ts';

export const kernel = {
	registry: token<Registry>('Registry'),
	lifecycle: token<Lifecycle>('Lifecycle'),
	models: token<ModelDirectory>('ModelDirectory'),
	setups: token<PluginSetups>('PluginSetups'),
	app: token<RunningApp>('RunningApp'),
} as const;

/** The kernel of one app. Every class below is built at its first use. */
export function createKernel(values: Readonly<{ plan: BootPlan; clock: Clock; log: Logger }>): KernelContainer {
	return new KernelContainer().value(plan, values.plan).value(clock, values.clock).value(log, values.log);
}

const plan = token<BootPlan>('BootPlan');
const clock = token<Clock>('Clock');
const log = token<Logger>('Logger');

wire(kernel.registry, (get) => new Registry().provide(services.clock, get(clock)).provide(services.log, get(log)));
wire(kernel.lifecycle, (get) => new Lifecycle(get(plan).server.stepTimeoutMs, get(log), get(plan).variables));
wire(kernel.models, (get) => new ModelDirectory(get(clock), get(log), get(plan).pools, get(plan).groups));
wire(kernel.setups, (get) => new PluginSetups(get(kernel.registry), get(kernel.models), () => get(machine)));

// Jobs. The graph has checked that the ports exist before a plugin with jobs is set up.
const machine = token<JobMachine>('JobMachine');
wire(machine, (get) => {
	const registry = get(kernel.registry);
	const tools = {
		store: registry.get(services.jobs),
		blobs: registry.get(services.blobs),
		bus: registry.get(services.events),
		clock: get(clock),
		log: get(log),
		settings: get(plan).jobs,
	};
	const service = new JobService(tools);
	return { service, worker: new JobWorker(service, tools), housekeeping: new Housekeeping(tools, service.definitions) };
});

const table = token<RouteTable>('RouteTable');
const pipeline = token<Pipeline>('Pipeline');
const server = token<HttpServer>('HttpServer');

wire(table, (get) => {
	const { routes, middlewares } = get(kernel.setups);
	routes.freeze();
	const context = { registry: get(kernel.registry), clock: get(clock), log: get(log) };
	return new RouteTable({
		owners: routes.owners,
		middlewares,
		isWorker: get(plan).role === 'worker',
		refusesUnknown: get(plan).server.unknownMembers === 'refuse',
		readiness: createReadiness(() => get(kernel.app).state, context),
		models: () => get(kernel.models).list(),
	});
});
wire(pipeline, (get) => {
	const { auth, authFailuresPerMinute: perMinute, trustedProxies, cors, compression, limits } = get(plan).server;
	const authenticator = auth === 'off' ? undefined : get(kernel.registry).find(services.authenticator);
	authenticator?.booted?.();
	return new Pipeline({
		clock: get(clock),
		log: get(log),
		cors,
		compresses: compression === 'on',
		authentication: authentication(authenticator ?? openAuthenticator, authFailures({ perMinute, trustedProxies })),
		admission: new Admission(limits),
		routes: get(table),
		// The app is built with its server, so it is resolved at the first request.
		whenReady: () => get(kernel.app).whenReady(),
	});
});
wire(server, (get) => {
	const { limits, publicUrl } = get(plan).server;
	const listener = new Listener(get(log), limits.connections);
	return new HttpServer({ pipeline: get(pipeline), routes: get(table), listener, publicUrl });
});

wire(kernel.app, (get) => {
	return new RunningApp({
		plan: get(plan),
		registry: get(kernel.registry),
		http: get(server),
		setups: get(kernel.setups),
		lifecycle: get(kernel.lifecycle),
		log: get(log),
		models: get(kernel.models),
	});
});
