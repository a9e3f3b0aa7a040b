import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AppConfig, BootError, bootProblem, type ResolvedConfig, resolveConfig } from '@plinth/core';
import { ownCommand } from './own-command.ts';

/** Config file names that are looked for, in this order. */
const configFileNames = ['ts', 'mts', 'js', 'mjs', 'json', 'yaml', 'yml'].map((end) => `plinth.config.${end}`);

/** A config and the file it came from. */
export interface LoadedConfig {
	/** Undefined when no file was found and the fallback is used. */
	readonly file: string | undefined;
	readonly config: ResolvedConfig;
}

/**
 * Finds and reads a config file: `file`, else `PLINTH_CONFIG`, else `plinth.config.*` in `cwd`, else `fallback`.
 * Rejects with a `BootError` when it cannot be read at all.
 */
export async function findConfig(
	options: {
		readonly file?: string | undefined;
		/** The working directory unless set. */
		readonly cwd?: string;
		/** The variables of the process unless set. */
		readonly env?: Readonly<Record<string, string | undefined>>;
		readonly fallback?: AppConfig;
		/** The folder of the caller's package: names of packages that are not beside the config resolve from there. */
		readonly installation?: string;
	} = {},
): Promise<LoadedConfig> {
	const { cwd = process.cwd(), env = process.env, fallback, installation } = options;
	const requested = options.file ?? (env.PLINTH_CONFIG || undefined);
	const candidates = configFileNames.map((name) => resolve(cwd, name));
	const file = requested === undefined ? candidates.find((path) => existsSync(path)) : resolve(cwd, requested);
	if (file !== undefined) {
		const from = { folder: dirname(file), installation, env };
		return { file, config: await resolveConfig(await readConfig(file), from) };
	}
	if (fallback) return { file, config: await resolveConfig(fallback, { folder: cwd, env }) };
	const message = `there is no ${configFileNames.join(', ')} in this folder.`;
	throw unreadable(cwd, message, 'Make one, or name another file by PLINTH_CONFIG.');
}

async function readConfig(file: string): Promise<AppConfig> {
	if (!existsSync(file)) {
		throw unreadable(file, 'the config file does not exist.', `Name one that exists, or write one: ${ownCommand} init`);
	}
	const isModule = !/\.(?:ya?ml|json)$/.test(file);
	const value = await (isModule ? readModule(file) : readData(file));
	if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
		// Editors read `$schema`.
		const { $schema: _, ...config } = value as AppConfig & { readonly $schema?: unknown };
		return isModule ? value : config;
	}
	const remedy = isModule
		? 'Export the config as the default: export default defineConfig({ … }).'
		: 'Give it keys such as extends, server, backends, models and plugins.';
	throw unreadable(file, 'the config file does not contain an object.', remedy);
}

// Both parsers quote the text around a mistake, and a config file may contain secrets. So only the kind and the place
// of the mistake are reported, and the error of the parser does not become the cause.
async function readData(file: string): Promise<unknown> {
	const text = await readFile(file, 'utf8');
	const remedy = 'Fix the file at that place, or the bracket, quote or indent that it closes.';
	const refuse = (reason: string, cure = remedy) =>
		unreadable(file, `the config file cannot be parsed: ${reason}`, cure);
	if (file.endsWith('.json')) {
		try {
			return JSON.parse(text);
		} catch (error) {
			const { message } = error as Error;
			throw refuse(`${message.replace(/,? (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON/s, '')}.`);
		}
	}
	// Imported only for YAML files, because the import would slow down every start.
	const { parseDocument } = await import('yaml');
	const document = parseDocument(text);
	const [error] = document.errors;
	if (error === undefined) return document.toJS();
	const [sentence = ''] = error.message.split('\n');
	const isVariable = text.startsWith('${', error.pos[0] - 1);
	throw refuse(
		sentence.replace(/: .*(?= at line)/, '').replace(/:$/, '.'),
		isVariable ? "Inside { } and [ ], a text with ${...} needs quotes: '${NAME}'." : remedy,
	);
}

async function readModule(file: string): Promise<unknown> {
	try {
		return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		const remedy = 'Fix the error named above: Node must be able to import the file.';
		throw unreadable(file, `the config file cannot be loaded: ${reason}`, remedy, cause);
	}
}

function unreadable(file: string, message: string, remedy: string, cause?: unknown): BootError {
	const place = { owner: 'config', path: file };
	return new BootError([bootProblem('E_CONFIG_FILE', place, message, remedy)], { cause });
}
