import { type App, type AppConfig, type CreateAppOptions, createApp, type ResolvedConfig } from '@plinth/core';
import { type ConfigFlags, configFrom } from './find-config.ts';
import { prettyLog } from './log-pretty.ts';

/** A booted app and the file that composed it; undefined for the built-in composition. */
export interface Composed {
	readonly app: App;
	readonly file: string | undefined;
	readonly config: ResolvedConfig;
}

/** Changes that a command makes to the composition. */
export interface ComposeOptions extends CreateAppOptions {
	/** Replaces the config's `role`. */
	readonly role?: 'worker';
	/** Changes the backends. */
	readonly backends?: (backends: ResolvedConfig['backends']) => ResolvedConfig['backends'];
	/** Replaces settings of the config's `server` section. */
	readonly server?: AppConfig['server'] & object;
}

/** Finds the config, or uses the built-in composition, and boots it without starting or listening. */
export async function compose(
	flags: ConfigFlags,
	{ role, backends, server, ...options }: ComposeOptions = {},
): Promise<Composed> {
	const { file, config } = await configFrom(flags, options.env);
	const adjusted = {
		...config,
		role: role ?? config.role,
		backends: backends?.(config.backends) ?? config.backends,
		server: { ...config.server, ...server },
	};
	const logTo = prettyLog(config.log.format);
	const app = await createApp(adjusted, { ...(logTo && { logTo }), ...options, file });
	return { app, file, config: adjusted };
}
