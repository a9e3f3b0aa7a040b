import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { CreateError } from './create-error.ts';
import type { ProjectOptions } from './project.ts';
import { isTemplate, type TemplateName, templates } from './templates.ts';

/** A command line that has been read. */
export interface Options extends Partial<ProjectOptions> {
	/** Whether to ask no questions. */
	readonly yes: boolean;
	readonly help: boolean;
	readonly version: boolean;
}

const defaults: ProjectOptions = { folder: 'my-plinth', template: 'app' };

const names = Object.keys(templates) as readonly TemplateName[];
const list = names.map((name) => `  ${name.padEnd(9)}${templates[name].description}`).join('\n');

/** The text of `--help`. */
export const usage = `Usage: npm create plinth@latest [folder] -- [options]

Makes a project for Plinth in a folder. Existing files stay as they are.

  -t, --template <name>  the template; ${defaults.template} unless set
  -y, --yes              ask no questions; the folder is ${defaults.folder} unless named
  -v, --version          print the version
  -h, --help             print this help

Templates:
${list}
`;

/** Reads a command line. Throws a `CreateError` when it is wrong. */
export function readOptions(args: readonly string[]): Options {
	const { values, positionals } = parse(args);
	const [folder, ...more] = positionals;
	if (more.length > 0) throw new CreateError(`Name one folder, not ${positionals.length}: ${positionals.join(', ')}.`);
	const { template, yes = false, help = false, version = false } = values;
	if (template !== undefined && !isTemplate(template)) throw new CreateError(unknown(template));
	return { yes, help, version, ...(folder ? { folder } : {}), ...(template ? { template } : {}) };
}

function parse(args: readonly string[]) {
	try {
		return parseArgs({
			args: [...args],
			allowPositionals: true,
			options: {
				template: { type: 'string', short: 't' },
				yes: { type: 'boolean', short: 'y' },
				help: { type: 'boolean', short: 'h' },
				version: { type: 'boolean', short: 'v' },
			},
		});
	} catch (error) {
		// Node adds advice about positional arguments after the first sentence.
		const [sentence = ''] = (error as Error).message.split('. ');
		throw new CreateError(`${sentence.replace(/\.$/, '')}. --help lists the options.`);
	}
}

function unknown(template: string): string {
	return `There is no template "${template}". The templates are ${names.join(', ')}.`;
}

/** Completes options with their defaults. */
export function withDefaults({ folder, template }: Options): ProjectOptions {
	return { folder: folder ?? defaults.folder, template: template ?? defaults.template };
}

/** The streams of a terminal. */
export interface Terminal {
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
}

/** Asks for the options that the command line lacks. Rejects with a `CreateError` when the input ends. */
export async function ask(options: Options, { input, output }: Terminal): Promise<ProjectOptions> {
	// `terminal: false`, because the terminal edits the line. `reader.question` would lose lines that arrive too early.
	const reader = createInterface({ input, terminal: false });
	const lines = reader[Symbol.asyncIterator]();
	const question = async (text: string, fallback: string): Promise<string> => {
		output.write(`${text} (${fallback}): `);
		const { value, done } = await lines.next();
		if (done) throw new CreateError('\nNothing was written.');
		return value.trim() || fallback;
	};
	try {
		const folder = options.folder ?? (await question('Folder', defaults.folder));
		if (options.template) return { folder, template: options.template };
		output.write(`Templates:\n${list}\n`);
		for (;;) {
			const template = await question('Template', defaults.template);
			if (isTemplate(template)) return { folder, template };
			output.write(`${unknown(template)}\n`);
		}
	} finally {
		reader.close();
	}
}
