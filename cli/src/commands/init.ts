import { readdir, writeFile } from 'node:fs/promises';
import { typescriptConfig, yamlConfig } from '../init/contents.ts';
import { installedSchema } from '../init/schema-file.ts';
import { ownCommand } from '../own-command.ts';
import { UserError } from '../user-error.ts';

/** The flags of `plinth init`. */
export interface InitFlags {
	readonly ts?: boolean;
	readonly force?: boolean;
}

/** Writes a commented config into the working directory. Replaces an existing file only with `force`. */
export async function init({ ts = false, force = false }: InitFlags): Promise<void> {
	const file = ts ? 'plinth.config.ts' : 'plinth.config.yaml';
	// Only one config of a folder is read.
	const present = (await readdir('.')).filter((name) => /^plinth\.config\.(?:[mc]?[jt]s|json|ya?ml)$/.test(name));
	const [other] = present.filter((name) => name !== file);
	if (other) throw new UserError(`This folder already has ${other}. Change that file, or remove it first.`);
	if (present.length > 0 && !force) {
		throw new UserError(`This folder already has ${file}. --force replaces the file.`);
	}
	await writeFile(file, ts ? typescriptConfig() : yamlConfig(installedSchema('.')));
	process.stdout.write(`Wrote ${file}. Check it: ${ownCommand} check. Serve it: ${ownCommand} serve.\n`);
}
