import { BootError, redact, version } from '@plinth/core';
import { Command, InvalidArgumentError } from 'commander';
import type { CreateFlags } from './commands/keys.ts';
import type { ParseFlags } from './commands/parse.ts';
import { UserError } from './user-error.ts';

interface ConfigFlag {
	readonly config?: string;
}

/** Runs the command line. Boot problems print as a report without a stack; the exit code is then 1. */
export async function run(argv: readonly string[]): Promise<void> {
	// Node would print the error with everything that hangs on it, such as the headers of a request.
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

function program(): Command {
	const plinth = new Command('plinth')
		.description('One service in front of your generative-media models.')
		.version(version)
		.showHelpAfterError();
	withConfig(plinth.command('serve', { isDefault: true }))
		.description('serve the composed API (the default command)')
		.option('--host <address>', 'listen on this address instead of the configured one')
		.option('--port <number>', 'listen on this port instead of the configured one', parsePort)
		.action(async (flags: ConfigFlag & { host?: string; port?: number }) =>
			(await import('./commands/serve.ts')).serve(flags),
		);
	withConfig(plinth.command('worker'))
		.description('run the jobs that servers on the same storage accept, without listening')
		.action(async (flags: ConfigFlag) => (await import('./commands/worker.ts')).worker(flags));
	withConfig(plinth.command('demo'))
		.description('run every composed capability once and keep what it makes')
		.action(async (flags: ConfigFlag) => (await import('./demo/demo.ts')).demo(flags));
	withConfig(plinth.command('check'))
		.description('boot without listening, print what is composed, or what is wrong with it')
		.action(async (flags: ConfigFlag) => (await import('./commands/check.ts')).check(flags));
	withConfig(plinth.command('openapi'))
		.description('print the OpenAPI document of the composed routes')
		.action(async (flags: ConfigFlag) => (await import('./commands/openapi.ts')).openapi(flags));
	withConfig(plinth.command('doctor'))
		.description('look at everything that a server needs, and say what to fix')
		.option('--json', 'as JSON')
		.action(async (flags: ConfigFlag & { json?: boolean }) =>
			(await import('./commands/doctor.ts')).doctor(flags),
		);
	addParse(plinth);
	addKeys(plinth);
	return plinth;
}

function addParse(plinth: Command): void {
	withConfig(plinth.command('parse <file...>'))
		.description('print the text of documents by page, as JSON; exits 1 when one cannot be read')
		.option('--pages <ranges>', 'only these pages, such as 1-5,8')
		.option('--max-chars <number>', 'at most so many characters of each document')
		.option('--no-ocr', 'leave pages that are pictures unread')
		.option('--text', 'plain text, with a line before each page')
		// Scripts tell a document that cannot be read from a command that is wrong.
		.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
		.action(async (files: string[], flags: ParseFlags) =>
			(await import('./commands/parse.ts')).parse(files, flags),
		);
}

function addKeys(plinth: Command): void {
	const keys = plinth
		.command('keys')
		.description('make, list and revoke API keys; servers on the same storage may be running');
	withConfig(keys.command('create'))
		.description('make a key and print it once, alone on standard output')
		.requiredOption('--tenant <name>', 'who the key speaks for; keys of one tenant see the same')
		.requiredOption('--scopes <list>', "comma-separated, such as videos:read; '*' is every scope")
		.option('--name <label>', 'what to call the key in lists')
		.option('--expires <when>', '12h or 30d from now, or an ISO 8601 date; otherwise never')
		.option('-q, --quiet', 'print nothing but the key')
		.action(async (flags: CreateFlags) => (await import('./commands/keys.ts')).createKey(flags));
	withConfig(keys.command('list'))
		.description('list the issued keys, without the keys themselves')
		.option('--json', 'as JSON')
		.action(async (flags: ConfigFlag & { json?: boolean }) =>
			(await import('./commands/keys.ts')).listKeys(flags),
		);
	withConfig(keys.command('revoke <id>'))
		.description('make a key invalid at once, by its id or by the key itself')
		.action(async (id: string, flags: ConfigFlag) =>
			(await import('./commands/keys.ts')).revokeKey(id, flags),
		);
}

/** Without this a misspelt command would be an argument too many of the default command. */
function refuseUnknown(plinth: Command, word: string | undefined): void {
	const names = ['help', ...plinth.commands.map((command) => command.name())];
	if (word === undefined || word.startsWith('-') || names.includes(word)) return;
	throw new UserError(`There is no command "${word}".\n\n${plinth.helpInformation().trimEnd()}`);
}

function withConfig(command: Command): Command {
	return command.option(
		'-c, --config <file>',
		'config file; otherwise PLINTH_CONFIG, then plinth.config.{ts,mts,js,mjs,json,yaml} here, then the built-in composition',
	);
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
