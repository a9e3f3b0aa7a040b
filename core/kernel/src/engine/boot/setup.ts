import type { JobDefinition, JobKinds, Jobs } from '../../contract/jobs/jobs.ts';
import type { JobSettings } from '../../contract/jobs/settings.ts';
import type { PluginContext } from '../../contract/plugin.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import type { Needs } from '../../contract/service.ts';
import { services } from '../../contract/services.ts';
import { Duty } from '../../jobs/duty.ts';
import type { ModelDirectory } from '../../models/directory.ts';
import type { JobMachine, Kernel } from '../containers/kernel.ts';
import type { Registry } from '../containers/registry.ts';
import type { Lifecycle } from '../run/lifecycle.ts';
import type { Part } from './plan.ts';
import { BootError, type BootProblem, bootProblem } from './problem.ts';
import { PluginRoutes } from './routes.ts';

type PluginPart = Extract<Part, { kind: 'plugin' }>;

/** What setups build on. */
export interface SetupTools {
	readonly kernel: Kernel;
	readonly registry: Registry;
	readonly models: ModelDirectory;
	readonly lifecycle: Lifecycle;
	readonly settings: JobSettings;
}

/** What the setups of an app's plugins share, and what they leave. */
export class PluginSetups {
	readonly routes = new PluginRoutes();
	readonly drains: (() => Promise<void> | void)[] = [];
	readonly starts: {
		readonly owner: string;
		readonly path: string;
		readonly task: () => Promise<void> | void;
	}[] = [];
	/** Present once a plugin has registered a kind of job. */
	machine: JobMachine | undefined;
	readonly #problems: BootProblem[] = [];
	readonly #tools: SetupTools;

	constructor(tools: SetupTools) {
		this.#tools = tools;
		tools.registry.provide(services.jobKinds, {
			names: () =>
				[...(this.machine?.service.definitions ?? [])]
					.filter(([, { isInternal }]) => !isInternal)
					.map(([kind]) => kind),
			view: (job) => this.machine?.service.definitions.get(job.kind)?.view?.(job),
		} satisfies JobKinds);
	}

	/** Keeps what made one setup fail, so that the others are still looked at. */
	fail({ problems }: BootError): void {
		this.#problems.push(...problems);
	}

	/** Notes what a plugin has declared and, now that its setup is over, not done. */
	finish({ definition, owner, path }: PluginPart): void {
		for (const kind of definition.jobs ?? []) {
			if (this.machine?.service.definitions.has(kind)) continue;
			this.#problems.push(
				bootProblem(
					'E_JOB_KIND',
					owner,
					path,
					`declares jobs of kind "${kind}" and never says how they are done.`,
					'Call job(kind, { run }) in setup, or leave the kind out.',
				),
			);
		}
	}

	/** Problems of all setups so far. */
	get problems(): readonly BootProblem[] {
		return [...this.#problems, ...this.routes.problems];
	}

	/** The context that one plugin's setup receives. */
	context(part: PluginPart, log: Logger): PluginContext<unknown, Needs> {
		const { registry, models, lifecycle } = this.#tools;
		const { id, owner, path, definition } = part;
		return {
			config: part.options,
			services: registry.resolve(definition.needs ?? {}),
			log,
			models: (kind) => {
				if (!definition.models?.some(({ name }) => name === kind.name)) {
					this.#problems.push(
						bootProblem(
							'E_MODEL_KIND',
							owner,
							path,
							`asks for ${kind.name} models without declaring that kind.`,
						),
					);
				}
				return models.ofKind(kind.name);
			},
			route: (...routes) => this.routes.add(id, routes),
			job: (kind, job) => this.#job(part, kind, job),
			onStart: (task) => {
				this.starts.push({ owner, path, task });
			},
			onDrain: (task) => {
				this.drains.push(task);
			},
			onStop: (task) => lifecycle.onUnwind(owner, task),
			duty: (name, run) => {
				const begin = () => {
					const duty = this.duty(`${id}.${name}`, run, log);
					lifecycle.onUnwind(owner, () => duty.stop());
					duty.start();
				};
				this.starts.push({ owner, path, task: begin });
			},
		};
	}

	/** Work that one process of the deployment does at a time. */
	duty(name: string, run: (signal: AbortSignal) => Promise<void>, log: Logger): Duty {
		const { registry } = this.#tools;
		const clock = registry.get(services.clock);
		return new Duty(name, run, { store: registry.find(services.jobs), clock, log });
	}

	#job({ owner, path, definition }: PluginPart, kind: string, job: JobDefinition): Jobs {
		if (!definition.jobs?.includes(kind)) {
			throw new BootError([
				bootProblem(
					'E_JOB_KIND',
					owner,
					path,
					`runs jobs of kind "${kind}" without declaring that kind.`,
				),
			]);
		}
		if (typeof job?.run !== 'function') {
			throw new BootError([
				bootProblem(
					'E_JOB_KIND',
					owner,
					path,
					`runs jobs of kind "${kind}" without a run function.`,
					'Pass { run } to job.',
				),
			]);
		}
		this.machine ??= this.#build();
		return this.machine.service.register(kind, job);
	}

	/** The graph has made sure that all of them are there before a plugin with jobs is set up. */
	#build(): JobMachine {
		const { registry, kernel, settings } = this.#tools;
		return kernel.jobs({
			store: registry.get(services.jobs),
			blobs: registry.get(services.blobs),
			bus: registry.get(services.events),
			settings,
		});
	}
}
