import { basename, dirname } from 'node:path';

/** How a shell calls this command line: through npm in a clone, whose sources are TypeScript, else through npx. */
export const ownCommand = import.meta.filename.endsWith('.ts') ? 'npm run plinth --' : 'npx plinth';

/** A command for the composition of a config file; undefined for the built-in composition. */
export function commandFor(file: string | undefined, command: string): string {
	return `${ownCommand} ${command}${configFlag(file)}`;
}

/** A command that creates a key in the storage of a composition. */
export function createKeyCommand(file: string | undefined): string {
	return commandFor(file, "keys create --tenant default --scopes '*'");
}

/** Commands find a config in the working directory by themselves. */
function configFlag(file: string | undefined): string {
	if (file === undefined) return '';
	if (dirname(file) === process.cwd() && basename(file).startsWith('plinth.config.')) return '';
	return ` --config ${/^[\w./-]+$/.test(file) ? file : `'${file}'`}`;
}
