import { relative } from 'node:path';
import { version } from './manifest.ts';
import { ask, readOptions, type Terminal, usage, withDefaults } from './options.ts';
import { createProject, type ProjectOptions } from './project.ts';

/** Runs the command line and resolves to what it prints. Asks questions only with a terminal. */
export async function create(args: readonly string[], terminal?: Terminal): Promise<string> {
	const options = readOptions(args);
	if (options.help) return usage;
	if (options.version) return `${version}\n`;
	const project = terminal && !options.yes ? await ask(options, terminal) : withDefaults(options);
	return report(project, await createProject(project));
}

function report({ folder, template }: ProjectOptions, files: readonly string[]): string {
	const [, manager = 'npm'] = /^(pnpm|yarn|bun)\//.exec(process.env.npm_config_user_agent ?? '') ?? [];
	const path = relative('.', folder);
	const steps = [
		...(path === '' ? [] : [`cd ${/\s/.test(path) ? `"${path}"` : path}`]),
		`${manager} install`,
		`${manager} run test`,
		`${manager} run ${template === 'app' ? 'start' : 'dev'}`,
	];
	const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}\n`).join('');
	return `Made ${folder} from the template ${template}:\n${indented(files)}\nNext:\n${indented(steps)}`;
}
