import type { Clock } from '../../contract/ports/clock.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import { services } from '../../contract/services.ts';
import { Housekeeping } from '../../jobs/housekeeping.ts';
import { JobService, type JobTools } from '../../jobs/jobs.ts';
import { JobWorker } from '../../jobs/worker.ts';
import { ModelDirectory } from '../../models/directory.ts';
import type { BootPlan } from '../boot/plan.ts';
import { type JobMachine, PluginSetups } from '../boot/setup.ts';
import { Lifecycle } from '../run/lifecycle.ts';
import { RunningApp } from '../run/running.ts';
import { KernelContainer, token, wire } from './container.ts';
import { wireHttp } from './http.ts';
import { Registry } from './registry.ts';

/** What the kernel of an app is built from. */
export interface KernelValues {
	readonly plan: BootPlan;
	readonly clock: Clock;
	readonly log: Logger;
}

/** What the boot asks the kernel container for. */
export const kernel = {
	registry: token<Registry>('Registry'),
	lifecycle: token<Lifecycle>('Lifecycle'),
	models: token<ModelDirectory>('ModelDirectory'),
	setups: token<PluginSetups>('PluginSetups'),
	app: token<RunningApp>('RunningApp'),
} as const;

/** The kernel of one app: every class below is built when it is first asked for. */
export function createKernel(values: KernelValues): KernelContainer {
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
wire(kernel.models, (get) => new ModelDirectory(get(clock), get(log), get(plan).pools));
wire(
	kernel.setups,
	(get) =>
		new PluginSetups({
			registry: get(kernel.registry),
			models: get(kernel.models),
			createJobs: () => get(machine),
		}),
);

// Jobs. The graph has made sure that the ports are there before a plugin with jobs is set up.
const jobTools = token<JobTools>('JobTools');
const machine = token<JobMachine>('JobMachine');

wire(jobTools, (get) => {
	const registry = get(kernel.registry);
	return {
		store: registry.get(services.jobs),
		blobs: registry.get(services.blobs),
		bus: registry.get(services.events),
		clock: get(clock),
		log: get(log),
		settings: get(plan).jobs,
	};
});
wire(machine, (get) => {
	const tools = get(jobTools);
	const service = new JobService(tools);
	return { service, worker: new JobWorker(service, tools), housekeeping: new Housekeeping(tools) };
});

// HTTP. Routes are frozen when the server is built.
const server = wireHttp({ ...kernel, plan, clock, log });

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
