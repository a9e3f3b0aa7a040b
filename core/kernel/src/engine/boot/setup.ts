import type { PartContext } from '../../contract/factory.ts';
import type { Middleware } from '../../contract/http/route.ts';
import type { JobDefinition, JobKinds, Jobs } from '../../contract/jobs/jobs.ts';
import type { PluginContext } from '../../contract/plugin.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import { type Needs, services } from '../../contract/service.ts';
import { Duty } from '../../jobs/duty.ts';
import type { Housekeeping } from '../../jobs/housekeeping.ts';
import type { JobService } from '../../jobs/jobs.ts';
import type { JobWorker } from '../../jobs/worker.ts';
import type { ModelDirectory } from '../../models/directory.ts';
import type { Registry } from '../containers/registry.ts';
import type { Part } from './plan.ts';
import { BootError, type BootProblem, bootProblem, type ProblemPlace } from './problem.ts';
import { PluginRoutes } from './routes.ts';

type PluginPart = Extract<Part, { kind: 'plugin' }>;

type Task = () => Promise<void> | void;

export interface JobMachine {
	readonly service: JobService;
	readonly worker: JobWorker;
	readonly housekeeping: Housekeeping;
}

/** The members that every part receives, apart from its options. */
export type PartTools = Omit<PartContext<unknown, Needs>, 'config'>;

/** Creates the contexts of plugin setups, and collects what the setups register. */
export class PluginSetups {
	readonly routes = new PluginRoutes();
	/** In the order of the setups. The first one is outermost. */
	readonly middlewares: Middleware[] = [];
	readonly drains: Task[] = [];
	readonly starts: (ProblemPlace & { readonly task: Task })[] = [];
	/** Present once a plugin has registered a kind of job. */
	machine: JobMachine | undefined;
	readonly #problems: BootProblem[] = [];
	readonly #registry: Registry;
	readonly #models: ModelDirectory;
	readonly #createJobs: () => JobMachine;

	constructor(registry: Registry, models: ModelDirectory, createJobs: () => JobMachine) {
		this.#registry = registry;
		this.#models = models;
		this.#createJobs = createJobs;
		const kinds = () => [...(this.machine?.service.definitions ?? [])];
		registry.provide(services.jobKinds, {
			names: () => kinds().flatMap(([kind, { isInternal }]) => (isInternal ? [] : [kind])),
			view: (job) => this.machine?.service.definitions.get(job.kind)?.view?.(job),
		} satisfies JobKinds);
	}

	/** Adds problems of one part to the report, so that the other parts are still checked. */
	report(problems: readonly BootProblem[]): void {
		this.#problems.push(...problems);
	}

	/** Reports the kinds of job that a plugin has declared, but not registered. */
	finish(part: PluginPart): void {
		for (const kind of part.definition.jobs ?? []) {
			if (this.machine?.service.definitions.has(kind)) continue;
			const message = `declares jobs of kind "${kind}", but does not run them.`;
			const remedy = 'Call job(kind, { run }) in setup, or leave the kind out.';
			this.#problems.push(bootProblem('E_JOB_KIND', part, message, remedy));
		}
	}

	get problems(): readonly BootProblem[] {
		return [...this.#problems, ...this.routes.problems];
	}

	context(part: PluginPart, tools: PartTools): PluginContext<unknown, Needs> {
		const { id, owner, path, definition } = part;
		return {
			...tools,
			config: part.options,
			models: (kind, facts) => {
				if (!definition.models?.some(({ name }) => name === kind.name)) {
					this.report([bootProblem('E_MODEL_KIND', part, `requests ${kind.name} models without declaring that kind.`)]);
				}
				return this.#models.ofKind(kind.name, facts);
			},
			route: (...routes) => this.routes.add(id, routes, part.binding.defaultModel),
			use: (middleware) => void this.middlewares.push(middleware),
			job: (kind, job) => this.#job(part, kind, job),
			onStart: (task) => void this.starts.push({ owner, path, task }),
			onDrain: (task) => void this.drains.push(task),
			duty: (name, run) => {
				const task = () => {
					const duty = this.duty(`${id}.${name}`, run, tools.log);
					tools.onStop(() => duty.stop());
					duty.start();
				};
				this.starts.push({ owner, path, task });
			},
		};
	}

	duty(name: string, run: (signal: AbortSignal) => Promise<void>, log: Logger): Duty {
		const clock = this.#registry.get(services.clock);
		return new Duty(name, run, { store: this.#registry.find(services.jobs), clock, log });
	}

	#job(part: PluginPart, kind: string, job: JobDefinition): Jobs {
		const refuse = (message: string, remedy?: string) =>
			new BootError([bootProblem('E_JOB_KIND', part, message, remedy)]);
		if (!part.definition.jobs?.includes(kind)) throw refuse(`runs jobs of kind "${kind}" without declaring that kind.`);
		if (typeof job?.run !== 'function') {
			throw refuse(`runs jobs of kind "${kind}" without a run function.`, 'Pass { run } to job.');
		}
		this.machine ??= this.#createJobs();
		return this.machine.service.register(kind, job);
	}
}
