import { type CreateAppOptions, findConfig, type LoadedConfig } from '@plinth/core';
import { embedded } from './embedded.ts';
import { shareInstalledPackages } from './installed-packages.ts';

/** What the commands pass on. */
export interface ConfigFlags {
	/** `--config`. */
	readonly config?: string;
	/** `--json`: the log as one JSON object for each line. */
	readonly json?: boolean;
	/** `--pretty`: the log as short lines for people. */
	readonly pretty?: boolean;
}

/** Finds the config that the flags name, or uses the built-in composition. Its packages may lie beside this command. */
export async function configFrom(
	flags: ConfigFlags,
	env: CreateAppOptions['env'] = process.env,
): Promise<LoadedConfig> {
	// Here, because each import costs more from then on: the command itself has been loaded.
	shareInstalledPackages();
	const { file, config } = await findConfig({
		file: flags.config,
		env,
		fallback: embedded,
		installation: import.meta.dirname,
	});
	const format = flags.json ? 'json' : flags.pretty ? 'pretty' : undefined;
	return { file, config: format ? { ...config, log: { ...config.log, format } } : config };
}
