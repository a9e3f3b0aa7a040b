import type { App } from './contract/app.ts';
import type { Provides } from './contract/backend.ts';
import type { AppConfig } from './contract/config.ts';
import type { Clock } from './contract/ports/clock.ts';
import type { Logger } from './contract/ports/logger.ts';
import { services } from './contract/services.ts';
import { providedValues } from './engine/boot/graph.ts';
import { type Part, planBoot } from './engine/boot/plan.ts';
import { BootError } from './engine/boot/problem.ts';
import { PluginSetups } from './engine/boot/setup.ts';
import { type ResolvedConfig, resolveConfig } from './engine/config/resolve.ts';
import { Kernel } from './engine/containers/kernel.ts';
import { Registry } from './engine/containers/registry.ts';
import { createLogger } from './engine/log/log.ts';
import { systemClock } from './engine/run/clock.ts';
import { Lifecycle } from './engine/run/lifecycle.ts';
import { createReadiness } from './engine/run/readiness.ts';
import { RunningApp } from './engine/run/running.ts';
import { openAuthenticator } from './http/gate/principals.ts';
import { ModelDirectory } from './models/directory.ts';

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
	const log = options.log ?? createLogger(plan.log);
	if (plan.problems.length > 0) throw new BootError(plan.problems, { file });

	const registry = new Registry();
	registry.provide(services.clock, clock);
	registry.provide(services.log, log);
	const kernel = new Kernel(clock, log);
	const models = new ModelDirectory(clock, log, plan.pools);
	const lifecycle = new Lifecycle(plan.server.stepTimeoutMs, log, resolved.variables);
	const setups = new PluginSetups({ kernel, registry, models, lifecycle, settings: plan.jobs });
	const app: { current?: RunningApp } = {};
	try {
		for (const part of plan.graph.order)
			await create(part, { registry, models, lifecycle, setups, log });
		if (setups.problems.length > 0) throw new BootError(setups.problems);
		const http = kernel.http({
			routes: { routes: setups.routes.freeze(), owners: setups.routes.owners },
			middlewares: setups.middlewares,
			authenticator:
				(plan.server.auth === 'off' ? undefined : registry.find(services.authenticator)) ??
				openAuthenticator,
			publicUrl: plan.server.publicUrl,
			authFailures: {
				perMinute: plan.server.authFailuresPerMinute,
				trustedProxies: plan.server.trustedProxies,
			},
			cors: plan.server.cors,
			load: plan.server.limits,
			connections: plan.server.limits.connections,
			whenReady: () => app.current?.whenReady(),
			readiness: createReadiness(() => app.current?.state ?? 'created', { registry, clock, log }),
			models: () => models.list(),
		});
		app.current = new RunningApp({ plan, registry, http, setups, lifecycle, log, models });
		return app.current;
	} catch (error) {
		await lifecycle.unwind();
		if (!(error instanceof BootError)) throw error;
		// What other setups got wrong belongs in the same report.
		const problems = [...new Set([...setups.problems, ...error.problems])];
		throw new BootError(problems, { file, cause: error.cause });
	}
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
	const { kind, id, owner, path, options } = part;
	const log = tools.log.child({ [kind]: id });
	const surroundings = {
		id,
		config: options,
		services: registry.resolve(part.definition.needs ?? {}),
		log,
		onStop: (task: () => Promise<void> | void) => lifecycle.onUnwind(owner, task),
	};
	if (kind === 'backend') {
		await lifecycle.step('create', owner, path, async () =>
			provide(part, await part.definition.create(surroundings as never), registry),
		);
	} else if (kind === 'model') {
		await lifecycle.step('create', owner, path, async () => {
			const model = await part.definition.create(surroundings);
			if (typeof model !== 'object' || model === null) throw new Error('create returned no model.');
			models.add(part, model);
		});
	} else {
		const context = setups.context(part, log) as never;
		try {
			await lifecycle.step('set up', owner, path, async () =>
				provide(part, await part.definition.setup(context), registry),
			);
			setups.finish(part);
		} catch (error) {
			// Others may need what this one was to provide; if not, their mistakes belong in the same report.
			if (!(error instanceof BootError) || part.provides.length > 0) throw error;
			setups.fail(error);
		}
	}
}

function provide(
	{ definition }: { readonly definition: { readonly provides?: unknown } },
	returned: unknown,
	registry: Registry,
): void {
	for (const [ref, value] of providedValues(
		definition.provides as Provides | undefined,
		returned,
	)) {
		if (value === undefined || value === null) {
			throw new Error(`it provides ${ref.id} and returned nothing for it.`);
		}
		registry.provide(ref, value);
	}
}
