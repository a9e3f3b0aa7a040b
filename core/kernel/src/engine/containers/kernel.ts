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

/** What the boot asks the kernel container for. */
export const kernel = {
	registry: token<Registry>('Registry'),
	lifecycle: token<Lifecycle>('Lifecycle'),
	models: token<ModelDirectory>('ModelDirectory'),
	setups: token<PluginSetups>('PluginSetups'),
	app: token<RunningApp>('RunningApp'),
} as const;

/** The kernel of one app: every class below is built when it is first asked for. */
export function createKernel(values: {
	readonly plan: BootPlan;
	readonly clock: Clock;
	readonly log: Logger;
}): KernelContainer {
	return new KernelContainer().value(plan, values.plan).value(clock, values.clock).value(log, values.log);
}

const plan = token<BootPlan>('BootPlan');
const clock = token<Clock>('Clock');
const log = token<Logger>('Logger');

wire(kernel.registry, (get) => new Registry().provide(services.clock, get(clock)).provide(services.log, get(log)));
wire(kernel.lifecycle, (get) => {
	const { server, variables } = get(plan);
	return new Lifecycle({ timeoutMs: server.stepTimeoutMs, log: get(log), variables });
});
wire(kernel.models, (get) => new ModelDirectory(get(clock), get(log), get(plan)));
wire(kernel.setups, (get) => {
	const createJobs = () => get(machine);
	return new PluginSetups({ registry: get(kernel.registry), models: get(kernel.models), createJobs });
});

// Jobs. The graph has made sure that the ports are there before a plugin with jobs is set up.
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
	return { service, worker: new JobWorker(service, tools), housekeeping: new Housekeeping(tools) };
});

// HTTP.
const table = token<RouteTable>('RouteTable');
const authentication = token<Authentication>('Authentication');
const pipeline = token<Pipeline>('Pipeline');
const server = token<HttpServer>('HttpServer');

wire(table, (get) => {
	const { routes, middlewares } = get(kernel.setups);
	routes.freeze();
	const surroundings = { registry: get(kernel.registry), clock: get(clock), log: get(log) };
	const readiness = createReadiness(() => get(kernel.app).state, surroundings);
	return new RouteTable({
		owners: routes.owners,
		middlewares,
		isWorker: get(plan).role === 'worker',
		refusesUnknown: get(plan).server.unknownMembers === 'refuse',
		readiness,
		models: () => get(kernel.models).list(),
	});
});
wire(authentication, (get) => {
	const { auth, authFailuresPerMinute: perMinute, trustedProxies } = get(plan).server;
	const found = auth === 'off' ? undefined : get(kernel.registry).find(services.authenticator);
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
			compresses: get(plan).server.compression === 'on',
			authentication: get(authentication),
			admission: new Admission(get(plan).server.limits),
			routes: get(table),
			// The app is built with its server, so it is looked up when the first request comes.
			whenReady: () => get(kernel.app).whenReady(),
		}),
);
wire(server, (get) => {
	const { limits, publicUrl } = get(plan).server;
	const listener = new Listener(get(log), limits.connections);
	const parts = { pipeline: get(pipeline), routes: get(table) };
	return new HttpServer({ ...parts, listener, publicUrl });
});

wire(
	kernel.app,
	(get) =>
		new RunningApp({
			plan: get(plan),
			registry: get(kernel.registry),
			http: get(server),
			setups: get(kernel.setups),
			lifecycle: get(kernel.lifecycle),
			log: get(log),
			models: get(kernel.models),
		}),
);
