import type { CreateAppOptions } from '@plinth/core';
import { embedded } from './embedded.ts';
import { shareInstalledPackages } from './installed-packages.ts';
import { findConfig, type LoadedConfig } from './read-config.ts';

/** The flags of most commands. */
export interface ConfigFlags {
	/** `--config`. */
	readonly config?: string;
	/** `--json`: the log as one JSON object for each line. */
	readonly json?: boolean;
	/** `--pretty`: the log as short lines for people. */
	readonly pretty?: boolean;
}

/** Loads the named config or the built-in composition. Its packages may be installed with this command. */
export async function configFrom(
	flags: ConfigFlags,
	env: CreateAppOptions['env'] = process.env,
): Promise<LoadedConfig> {
	// Called this late because its hook slows down each later import. The command itself is already loaded.
	shareInstalledPackages();
	const { file, config } = await findConfig({
		file: flags.config,
		env: withDefaults(env),
		fallback: embedded,
		installation: import.meta.dirname,
	});
	const format = flags.json ? 'json' : flags.pretty ? 'pretty' : undefined;
	return { file, config: format ? { ...config, log: { ...config.log, format } } : config };
}

/** Defaults that the commands set for variables of the compositions. Programs that embed a composition lack them. */
const defaults: Readonly<Record<string, string>> = { PLINTH_CONSOLE: 'on' };

/** Returns a proxy and not a copy, because `plinth doctor` tracks which variables are read. */
function withDefaults(env: NonNullable<CreateAppOptions['env']>): NonNullable<CreateAppOptions['env']> {
	return new Proxy(env, { get: (all, name: string) => all[name] || defaults[name] });
}
