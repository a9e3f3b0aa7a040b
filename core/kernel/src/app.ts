import type { App } from './contract/app.ts';
import type { AppConfig } from './contract/config.ts';
import type { Clock } from './contract/ports/clock.ts';
import type { Logger } from './contract/ports/logger.ts';
import { type Needs, type ResolvedNeeds, services } from './contract/service.ts';
import { providedValues } from './engine/boot/graph.ts';
import { modelProblems } from './engine/boot/model-shape.ts';
import { type Part, planBoot } from './engine/boot/plan.ts';
import { BootError } from './engine/boot/problem.ts';
import type { PartTools } from './engine/boot/setup.ts';
import { type ResolvedConfig, resolveConfig } from './engine/config/resolve.ts';
import type { KernelContainer } from './engine/containers/container.ts';
import { createKernel, kernel } from './engine/containers/kernel.ts';
import { createLogger } from './engine/log/log.ts';
import { SharedClock } from './engine/run/shared-clock.ts';

/** Dependencies that a caller may replace, mostly for tests. */
export interface CreateAppOptions {
	readonly log?: Logger;
	/** Receives the lines of the log, each a JSON object. By default, they go to standard error. */
	readonly logTo?: (line: string) => void;
	readonly clock?: Clock;
	readonly env?: Readonly<Record<string, string | undefined>>;
	/** The folder from which package names in the config resolve. The default is the working directory. */
	readonly folder?: string;
	/** The path of the config file, for messages. */
	readonly file?: string | undefined;
}

/**
 * Boots a deployment up to its frozen routes: checks the config, creates backends and models, sets plugins up. On
 * failure, closes what was created; a `BootError` lists every problem with part, config path and remedy.
 */
export async function createApp(config: AppConfig | ResolvedConfig, options: CreateAppOptions = {}): Promise<App> {
	const { env = process.env, folder = process.cwd(), clock = new SharedClock(), file } = options;
	const resolved = '$kind' in config ? config : await resolveConfig(config, { folder, env });
	const plan = planBoot(resolved);
	const log = options.log ?? createLogger(plan.log.level, options.logTo);
	if (plan.problems.length > 0) throw new BootError(plan.problems, { file });

	const container = createKernel({ plan, clock, log });
	const lifecycle = container.get(kernel.lifecycle);
	const setups = container.get(kernel.setups);
	try {
		for (const part of plan.graph.order) await createPart(part, container, log, resolved.folder);
		const jobs = container.get(kernel.registry).find(services.jobs);
		const now = jobs?.now?.bind(jobs);
		if (now && clock instanceof SharedClock) {
			lifecycle.onUnwind('clock', () => clock.stop());
			await lifecycle.step('read the time', 'job store', services.jobs.id, () => clock.follow(now, log));
		}
		if (setups.problems.length > 0) throw new BootError(setups.problems);
		return container.get(kernel.app);
	} catch (error) {
		await lifecycle.unwind();
		if (!(error instanceof BootError)) throw error;
		// The problems of other setups belong in the same report.
		const problems = [...new Set([...setups.problems, ...error.problems])];
		throw new BootError(problems, { file, cause: error.cause });
	}
}

/** Creates one part in a scope of its own, as one step of the start. Its needs were created earlier. */
async function createPart(part: Part, container: KernelContainer, log: Logger, folder: string): Promise<void> {
	const lifecycle = container.get(kernel.lifecycle);
	const { kind, id, owner, path, definition, provides } = part;
	const tasks = lifecycle.disposeOnUnwind(owner, () => scope.dispose());
	const create = (services: ResolvedNeeds<Needs>) => {
		const tools = { services, log: log.child({ [kind]: id }), onStop: tasks.add };
		return part.kind === 'model'
			? createModel(part, { ...tools, folder }, container)
			: createProvider(part, tools, container);
	};
	const scope = container.get(kernel.registry).scope(definition.needs ?? {}, create, tasks.run);
	const phase = kind === 'plugin' ? 'set up' : 'create';
	try {
		await lifecycle.step(phase, owner, path, () => scope.create());
	} catch (error) {
		// Other parts may need a backend, or a plugin that provides a service. Without any other plugin they can continue.
		const mayBeNeeded = kind !== 'plugin' || provides.length > 0;
		if (mayBeNeeded || !(error instanceof BootError)) throw error;
		container.get(kernel.setups).report(error.problems);
	}
}

type PartOf<K extends Part['kind']> = Extract<Part, { readonly kind: K }>;

async function createModel(
	part: PartOf<'model'>,
	tools: PartTools & Pick<ResolvedConfig, 'folder'>,
	container: KernelContainer,
): Promise<void> {
	const model = await part.definition.create({ ...tools, id: part.id, config: part.options });
	if (typeof model !== 'object' || model === null) throw new Error('create returned no model.');
	container.get(kernel.setups).report(modelProblems(part, model));
	container.get(kernel.models).add(part.id, part.definition, part.binding, model);
}

/** Creates a backend or sets a plugin up, and registers the services that it returns. */
async function createProvider(
	part: PartOf<'backend' | 'plugin'>,
	tools: PartTools,
	container: KernelContainer,
): Promise<void> {
	const setups = container.get(kernel.setups);
	const returned =
		part.kind === 'backend'
			? await part.definition.create({ ...tools, config: part.options } as never)
			: await part.definition.setup(setups.context(part, tools) as never);
	for (const [ref, value] of providedValues(part.definition.provides, returned)) {
		if (value === undefined || value === null) throw new Error(`it provides ${ref.id} and returned nothing for it.`);
		container.get(kernel.registry).provide(ref, value);
	}
	if (part.kind === 'plugin') setups.finish(part);
}
