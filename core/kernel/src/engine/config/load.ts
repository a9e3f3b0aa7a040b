import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AppConfig } from '../../contract/config.ts';
import { BootError, bootProblem } from '../boot/problem.ts';
import { type ResolvedConfig, resolveConfig } from './resolve.ts';

/** Config file names that are looked for, in this order. */
const configFileNames = ['ts', 'mts', 'js', 'mjs', 'json', 'yaml', 'yml'].map(
	(extension) => `plinth.config.${extension}`,
);

/** A config and the file it came from. */
export interface LoadedConfig {
	/** Undefined: no file was found and the fallback was taken. */
	readonly file: string | undefined;
	readonly config: ResolvedConfig;
}

/** Where {@link findConfig} looks for a config file, and what it takes its variables from. */
export interface LoadOptions {
	/** A file; without it `PLINTH_CONFIG`, then `plinth.config.*` in `cwd`. */
	readonly file?: string | undefined;
	/** The working directory unless set. */
	readonly cwd?: string;
	/** The variables of the process unless set. */
	readonly env?: Readonly<Record<string, string | undefined>>;
	/** Taken when there is no file. */
	readonly fallback?: AppConfig;
}

/** Finds and reads a config file, and says which one. Rejects with a `BootError` when it cannot be read at all. */
export async function findConfig(options: LoadOptions = {}): Promise<LoadedConfig> {
	const { cwd = process.cwd(), env = process.env, fallback } = options;
	const named = options.file ?? (env.PLINTH_CONFIG || undefined);
	const file =
		named === undefined
			? configFileNames.map((name) => resolve(cwd, name)).find((path) => existsSync(path))
			: resolve(cwd, named);
	if (file === undefined) {
		if (!fallback)
			throw unreadable(
				cwd,
				`there is no ${configFileNames.join(', ')} in this folder.`,
				'Make one, or name another file by PLINTH_CONFIG.',
			);
		return { file, config: await resolveConfig(fallback, { folder: cwd, env }) };
	}
	const config = await readConfig(file);
	return { file, config: await resolveConfig(config, { folder: dirname(file), env }) };
}

async function readConfig(file: string): Promise<AppConfig> {
	if (!existsSync(file)) throw unreadable(file, 'the config file does not exist.', 'Name one that exists.');
	const extension = extname(file);
	const value = /^\.(ya?ml|json)$/.test(extension) ? await readData(file) : await readModule(file);
	if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
	throw unreadable(
		file,
		'the config file does not hold an object.',
		/^\.(ya?ml|json)$/.test(extension)
			? 'Let it hold keys such as extends, server, backends, models and plugins.'
			: 'Export the config as the default: export default defineConfig({ … }).',
	);
}

async function readData(file: string): Promise<unknown> {
	const text = await readFile(file, 'utf8');
	if (file.endsWith('.json')) return parseJson(file, text);
	// Loaded for the files that need it: it would cost every other start.
	const { parseDocument } = await import('yaml');
	const document = parseDocument(text);
	const [error] = document.errors;
	if (error) {
		const message = `the config file cannot be parsed: ${yamlReason(error.message)}`;
		throw unreadable(file, message, fixIt);
	}
	return document.toJS();
}

function parseJson(file: string, text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		// Without the error as cause: its message quotes the file too.
		const reason = jsonReason((error as Error).message);
		throw unreadable(file, `the config file cannot be parsed: ${reason}`, fixIt);
	}
}

// Both parsers quote the text around a mistake, and a config file holds secrets: what and where is enough.
function yamlReason(message: string): string {
	const [sentence = ''] = message.split('\n');
	return sentence.replace(/: .*(?= at line)/, '').replace(/:$/, '.');
}

function jsonReason(message: string): string {
	return `${message.replace(/,? (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON/s, '')}.`;
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

const fixIt = 'Fix the file at that place, or the bracket, quote or indent that it closes.';

function unreadable(file: string, message: string, remedy: string, cause?: unknown): BootError {
	const place = { owner: 'config', path: file };
	return new BootError([bootProblem('E_CONFIG_FILE', place, message, remedy)], { cause });
}
