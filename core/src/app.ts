import { BootError } from './config/problem.ts';
import { type ResolvedConfig, resolveConfig } from './config/resolve.ts';
import type { AppConfig } from './config.ts';
import { systemClock } from './kernel/clock.ts';
import type { App } from './kernel/contract.ts';
import { Kernel } from './kernel/kernel.ts';
import { Lifecycle } from './kernel/lifecycle.ts';
import { createLogger } from './kernel/log.ts';
import { ModelDirectory } from './kernel/models.ts';
import { type Part, planBoot } from './kernel/plan.ts';
import { Registry } from './kernel/registry.ts';
import { RunningApp } from './kernel/running.ts';
import { PluginSetups } from './kernel/setup.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Needs, ServiceRef } from './service.ts';
import { services } from './services.ts';
import { version } from './version.ts';

/** What a caller may replace; mostly for tests. */
export interface CreateAppOptions {
	readonly log?: Logger;
	readonly clock?: Clock;
	readonly env?: Readonly<Record<string, string | undefined>>;
	/** The folder from which package names in the config resolve; the working directory unless set. */
	readonly folder?: string;
	/** The config's file, for messages. */
	readonly file?: string | undefined;
}

/**
 * Boots a deployment up to its frozen routes: checks the config, creates backends and models, sets plugins up. It is all or nothing:
 * a `BootError` lists every problem with culprit, config path and remedy, and what had been created is closed again.
 */
export async function createApp(
	config: AppConfig | ResolvedConfig,
	options: CreateAppOptions = {},
): Promise<App> {
	const { env = process.env, folder = process.cwd(), clock = systemClock, file } = options;
	const resolved = '$kind' in config ? config : await resolveConfig(config, { folder, env });
	const plan = planBoot(resolved);
	const log = options.log ?? createLogger(plan.log.level);
	if (plan.problems.length > 0) throw new BootError(plan.problems, { file });

	const registry = new Registry();
	registry.provide(services.clock, clock);
	registry.provide(services.log, log);
	const kernel = new Kernel(clock, log);
	const models = new ModelDirectory(clock.now());
	const lifecycle = new Lifecycle(plan.server.stepTimeoutMs, log);
	const setups = new PluginSetups({ kernel, registry, models, lifecycle, settings: plan.jobs });
	try {
		for (const part of plan.graph.order)
			await create(part, { registry, models, lifecycle, setups, log });
		if (setups.problems.length > 0) throw new BootError(setups.problems, { file });
	} catch (error) {
		await lifecycle.unwind();
		throw error;
	}

	const app: { current?: RunningApp } = {};
	const http = kernel.http({
		routes: setups.routes.freeze(),
		routeOwners: setups.routes.owners,
		authenticator: plan.server.auth === 'off' ? undefined : registry.find(services.authenticator),
		clock,
		log,
		title: 'Plinth',
		version,
		publicUrl: plan.server.publicUrl,
		readiness: async () => {
			const state = app.current?.state ?? 'created';
			return state === 'ready' ? { ready: true } : { ready: false, reason: state };
		},
		models: () => models.list(),
	});
	app.current = new RunningApp({ plan, registry, http, setups, lifecycle, log, models });
	return app.current;
}

interface CreateTools {
	readonly registry: Registry;
	readonly models: ModelDirectory;
	readonly lifecycle: Lifecycle;
	readonly setups: PluginSetups;
	readonly log: Logger;
}

/** Creates one backend or model, or sets one plugin up. Everything it needs has been created before. */
async function create(part: Part, tools: CreateTools): Promise<void> {
	const { registry, models, lifecycle, setups } = tools;
	const { sort, id, owner, path, options } = part;
	const log = tools.log.child({ [sort]: id });
	const surroundings = {
		id,
		config: options,
		services: registry.resolve(part.needs),
		log,
		onStop: (task: () => Promise<void> | void) => lifecycle.onUnwind(owner, task),
	};
	if (sort === 'backend') {
		const provided = await lifecycle.step('create', owner, path, () =>
			part.definition.create(surroundings as never),
		);
		provide(part, provided, registry);
	} else if (sort === 'model') {
		models.add(
			part,
			await lifecycle.step('create', owner, path, () => part.definition.create(surroundings)),
		);
	} else {
		const context = setups.context(part, log) as never;
		try {
			const provided = await lifecycle.step('set up', owner, path, () =>
				part.definition.setup(context),
			);
			provide(part, provided, registry);
		} catch (error) {
			// Others may need what this one was to provide; if not, their mistakes belong in the same report.
			if (!(error instanceof BootError) || part.provides.length > 0) throw error;
			setups.fail(error);
		}
	}
}

function provide(
	part: Part & { definition: { provides?: unknown } },
	provided: unknown,
	registry: Registry,
): void {
	const provides = part.definition.provides as ServiceRef<unknown> | Needs | undefined;
	if (!provides) return;
	if (part.provides.length === 1 && provides === part.provides[0])
		registry.provide(part.provides[0], provided);
	else {
		for (const [name, ref] of Object.entries(provides as Needs)) {
			registry.provide(ref, (provided as Record<string, unknown>)[name]);
		}
	}
}
