import type { z } from 'zod';
import type { BackendInstance } from './backend.ts';
import type { JobSettings } from './jobs/settings.ts';
import type { ModelInstance } from './model.ts';
import type { ModelBindingOptions, ModelGroupConfig, ModelPool } from './model-settings.ts';
import type { PluginInstance } from './plugin.ts';
import type { LogConfig, roleSetting, ServerConfig } from './server-settings.ts';

/** A factory named by package and export, for YAML and JSON: `@plinth/sqlite#sqliteJobs`. */
export interface NamedUse {
	/** `<package>` or `<package>#<export>`; without an export the package must have one factory of the right kind. */
	readonly use?: string;
	/** The factory's options. Without `use`, they change those of the preset's entry; others keep their values. */
	readonly with?: Readonly<Record<string, unknown>>;
}

/** A model with its factory, or changes to a model of a preset. */
export type ModelBinding = ({ readonly use: ModelInstance } | NamedUse) & ModelBindingOptions;

/** A plugin, or changes to a plugin of a preset. */
export type PluginBinding = ({ readonly use: PluginInstance } | NamedUse) & {
	/** The model for requests to this plugin that name no model. Without it, such a request is refused. */
	readonly defaultModel?: string | undefined;
};

/**
 * The config of a deployment. Every string may contain `${NAME}` or `${NAME:-default}`; `$${` is an escaped `${`.
 * `false` removes the preset's entry with the same key; an entry without `use` changes it.
 */
export interface AppConfig {
	/** A preset, as `<package>:<export>`, or another config. The other keys replace, change or remove its parts. */
	readonly extends?: string | AppConfig;
	/** Address, authentication and limits of the server. */
	readonly server?: ServerConfig;
	/** Level and format of the log. */
	readonly log?: LogConfig;
	/**
	 * `all` (the default) serves requests and runs jobs. `api` serves requests, and other processes on the same storage
	 * run the jobs. `worker` runs jobs and serves only `/healthz` and `/readyz`.
	 */
	readonly role?: z.input<typeof roleSetting>;
	/** How jobs are run. */
	readonly jobs?: Partial<Record<keyof JobSettings, number | string | boolean>>;
	/** Stores, codecs and other services, each under a name of your choice. */
	readonly backends?: Readonly<Record<string, BackendInstance | NamedUse | false>>;
	/** Models and pools, each under the id that clients use. */
	readonly models?: Readonly<Record<string, ModelInstance | ModelBinding | ModelPool | false>>;
	/** Models that share a device, by a name of your choice. */
	readonly groups?: Readonly<Record<string, ModelGroupConfig | false>>;
	/** Capabilities of the server, each under a name of your choice. */
	readonly plugins?: Readonly<Record<string, PluginInstance | PluginBinding | false>>;
}

/** Returns the config unchanged and checks its type. Each factory infers the types of its own options. */
export function defineConfig(config: AppConfig): AppConfig {
	return config;
}

/** An environment variable inside a config: `${NAME}` or `${NAME:-fallback}`. Throws when the fallback contains `}`. */
export function env(name: string, fallback?: string): string {
	if (fallback?.includes('}')) throw new TypeError(`The default of env('${name}', …) cannot contain "}".`);
	return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`;
}
