import { BootError, redact, version } from '@plinth/core';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { CheckFlags } from './commands/check.ts';
import type { CopyFlags } from './commands/copy.ts';
import type { DevFlags } from './commands/dev.ts';
import type { InitFlags } from './commands/init.ts';
import type { CreateFlags } from './commands/keys.ts';
import type { PullFlags } from './commands/models.ts';
import type { ParseFlags } from './commands/parse.ts';
import type { ServeFlags } from './commands/serve.ts';
import type { ConfigFlags } from './find-config.ts';
import { UserError } from './user-error.ts';

/** Runs the command line. Boot problems print as a report without a stack; the exit code is then 1. */
export async function run(argv: readonly string[]): Promise<void> {
	// Node would print all properties of the error, such as request headers.
	process.on('uncaughtException', (error) => {
		process.stderr.write(`${redact(describe(error))}\n`);
		process.exit(1);
	});
	try {
		const plinth = program();
		refuseUnknown(plinth, argv[2]);
		await plinth.parseAsync([...argv]);
	} catch (error) {
		process.stderr.write(`${redact(describe(error))}\n`);
		process.exitCode = 1;
	}
}

/** Every command with its options. */
export function program(): Command {
	const plinth = new Command('plinth')
		.description('One service in front of your generative-media models.')
		.version(version)
		.showHelpAfterError();
	withLog(withAddress(withConfig(plinth.command('serve', { isDefault: true }))))
		.description('serve the composed API (the default command)')
		.option('--processes <number>', 'the number of processes behind one listener; auto: one for each core')
		.addOption(new Option('--child', 'as a process of plinth serve --processes').hideHelp())
		.addOption(new Option('--dev', 'as the server of plinth dev').hideHelp())
		.action(async (flags: ServeFlags) => (await import('./commands/serve.ts')).serve(flags));
	withLog(withAddress(withConfig(plinth.command('dev'))))
		.description('serve, and restart when the config or a local module that it imports changes')
		.action(async (flags: DevFlags) => (await import('./commands/dev.ts')).dev(flags));
	withLog(withConfig(plinth.command('worker')))
		.description('run the jobs that servers on the same storage accept, without listening')
		.action(async (flags: ConfigFlags) => (await import('./commands/worker.ts')).worker(flags));
	withConfig(plinth.command('demo'))
		.description('run every composed capability once and keep the results')
		.action(async (flags: ConfigFlags) => (await import('./demo/demo.ts')).demo(flags));
	withConfig(plinth.command('check'))
		.description('boot without listening; print a summary of the composition, or its problems')
		.option('--verbose', 'print every part, route and model before the summary')
		.option('--online', 'also check that the servers of the models respond')
		.action(async (flags: CheckFlags) => (await import('./commands/check.ts')).check(flags));
	withConfig(plinth.command('migrate'))
		.description('migrate the storage of the composition to the current version; servers may be running')
		.action(async (flags: ConfigFlags) => (await import('./commands/migrate.ts')).migrate(flags));
	plinth
		.command('copy')
		.description('copy jobs, records and blobs between the backends of two configs; stop their servers first')
		.requiredOption('--from <file>', 'the config whose data is copied')
		.requiredOption('--to <file>', 'the config of the target; its stores must be empty, or have a part of this copy')
		.action(async (flags: CopyFlags) => (await import('./commands/copy.ts')).copy(flags));
	withConfig(plinth.command('openapi'))
		.description('print the OpenAPI document of the composed routes')
		.action(async (flags: ConfigFlags) => (await import('./commands/openapi.ts')).openapi(flags));
	withConfig(plinth.command('doctor'))
		.description('check everything that a server needs, and print remedies')
		.option('--json', 'as JSON')
		.action(async (flags: ConfigFlags & { json?: boolean }) => (await import('./commands/doctor.ts')).doctor(flags));
	addParse(plinth);
	addKeys(plinth);
	addModels(plinth);
	addConfigFiles(plinth);
	return plinth;
}

function addParse(plinth: Command): void {
	withConfig(plinth.command('parse <file...>'))
		.description('print the text of documents by page, as JSON; exits 1 when one cannot be read')
		.option('--pages <ranges>', 'only these pages, such as 1-5,8')
		.option('--max-chars <number>', 'maximum characters of each document')
		.option('--no-ocr', 'do not read pages that are pictures')
		.option('--markdown', 'the text of each page as Markdown')
		.option('--text', 'print the text alone, with a line before each page')
		// Exit code 2 distinguishes invalid usage from an unreadable document.
		.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
		.action(async (files: string[], flags: ParseFlags) => (await import('./commands/parse.ts')).parse(files, flags));
}

function addConfigFiles(plinth: Command): void {
	plinth
		.command('init')
		.description('write a commented config into this folder')
		.option('--ts', 'write plinth.config.ts instead of plinth.config.yaml')
		.option('--force', 'replace the file if it exists')
		.action(async (flags: InitFlags) => (await import('./commands/init.ts')).init(flags));
	plinth
		.command('schema')
		.description('print the JSON Schema of YAML and JSON configs, for editors')
		.action(async () => (await import('./commands/schema.ts')).schema());
}

function addKeys(plinth: Command): void {
	const keys = plinth
		.command('keys')
		.description('create, list and revoke API keys; servers on the same storage may be running');
	withConfig(keys.command('create'))
		.description('create a key and print it once, on standard output')
		.requiredOption('--tenant <name>', 'the tenant of the key; keys of one tenant see the same data')
		.requiredOption('--scopes <list>', "comma-separated, such as videos:read; '*' is every scope")
		.option('--name <label>', 'the name of the key in lists')
		.option('--expires <when>', '12h or 30d from now, or an ISO 8601 date; otherwise never')
		.option('-q, --quiet', 'print nothing but the key')
		.action(async (flags: CreateFlags) => (await import('./commands/keys.ts')).createKey(flags));
	withConfig(keys.command('list'))
		.description('list the issued keys, without the keys themselves')
		.option('--json', 'as JSON')
		.action(async (flags: ConfigFlags & { json?: boolean }) => (await import('./commands/keys.ts')).listKeys(flags));
	withConfig(keys.command('revoke <id>'))
		.description('revoke a key at once, by its id or by the key itself')
		.action(async (id: string, flags: ConfigFlags) => (await import('./commands/keys.ts')).revokeKey(id, flags));
}

function addModels(plinth: Command): void {
	plinth
		.command('models')
		.description('download files of models; no other command does')
		.command('pull <url>')
		.description('download a file, or resume its download; prints its path when its checksum is right')
		.requiredOption('--sha256 <hex>', 'the checksum that the file must have')
		.option('--to <folder>', 'the folder of the file', 'models')
		.option('--allow-http', 'allow http, which is not encrypted, also from other machines')
		.action(async (url: string, flags: PullFlags) => (await import('./commands/models.ts')).pull(url, flags));
}

/** Refuses an unknown command. Otherwise it would be reported as a surplus argument of the default command. */
function refuseUnknown(plinth: Command, word: string | undefined): void {
	const names = ['help', ...plinth.commands.map((command) => command.name())];
	if (word === undefined || word.startsWith('-') || names.includes(word)) return;
	throw new UserError(`There is no command "${word}".\n\n${plinth.helpInformation().trimEnd()}`);
}

function withConfig(command: Command): Command {
	return command.option(
		'-c, --config <file>',
		'config file; otherwise PLINTH_CONFIG, then plinth.config.{ts,mts,js,mjs,json,yaml} ' +
			'here, then the built-in composition',
	);
}

function withAddress(command: Command): Command {
	return command
		.option('--host <address>', 'listen on this address instead of the configured one')
		.option('--port <number>', 'listen on this port instead of the configured one', parsePort);
}

function withLog(command: Command): Command {
	return command
		.addOption(new Option('--json', 'log JSON lines, also on a terminal').conflicts('pretty'))
		.addOption(new Option('--pretty', 'log readable lines, also when the output is not a terminal'));
}

function parsePort(text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
	throw new InvalidArgumentError('A port is an integer from 0 to 65535.');
}

function describe(error: unknown): string {
	if (error instanceof BootError || error instanceof UserError) return error.message;
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
