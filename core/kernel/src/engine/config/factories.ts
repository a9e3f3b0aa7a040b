import { learnOptions } from '../../contract/errors/redact.ts';
import { type BootProblem, bootProblem } from '../boot/problem.ts';
import { findFactory, type Instance, type InstanceKind } from './find-factory.ts';
import { interpolate } from './interpolate.ts';
import { NotFound } from './names.ts';

/** Where names and variables come from. */
export interface ResolveOptions {
	/** The folder from which package names resolve. */
	readonly folder: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Filled in: by config path, the variable that a value came from. */
	readonly variables?: Map<string, string>;
}

/** Finds and calls the factory of an entry, unless it was called. Undefined for a mistake, which is listed. */
export async function instantiate(
	value: unknown,
	kind: InstanceKind,
	path: string,
	options: ResolveOptions,
	problems: BootProblem[],
): Promise<Instance | undefined> {
	const owner = path.replace(/^(\w+)s\./, '$1 ');
	const wrong = (code: 'E_CONFIG_NAME' | 'E_CONFIG_SHAPE' | 'E_CONFIG_LOAD', message: string, remedy?: string) => {
		problems.push(bootProblem(code, { owner, path }, message, remedy));
		return undefined;
	};
	if ((value as Instance).$kind === kind) {
		const instance = value as Instance;
		return { ...instance, options: fill(instance.options, `${path}.with`, options, problems) };
	}
	const { use, with: given = {}, ...unknown } = value as { use?: unknown; with?: unknown };
	if (use === undefined) return wrong('E_CONFIG_SHAPE', missingUse(value));
	if (typeof use !== 'string') return wrong('E_CONFIG_SHAPE', `is not a ${kind.slice(7)}.`);
	const [unknownKey] = Object.keys(unknown);
	if (unknownKey !== undefined) {
		return wrong('E_CONFIG_SHAPE', `"${unknownKey}" is not known here: only use and with are. Options go under with.`);
	}
	const name = fill(use, `${path}.use`, options, problems);
	try {
		const factory = await findFactory(name, kind, options.folder);
		return factory(fill(given, `${path}.with`, options, problems));
	} catch (error) {
		const code = error instanceof NotFound ? 'E_CONFIG_NAME' : 'E_CONFIG_LOAD';
		return wrong(code, `"${name}" cannot be loaded: ${reason(error)}.`, remedyOf(error));
	}
}

/** The commonest mistake: changing only the options of what a preset brings. */
function missingUse(value: unknown): string {
	return 'with' in (value as object)
		? 'has options but no use. A key replaces the whole entry of a preset: repeat its use.'
		: 'must be a factory call, { use, with }, or false.';
}

/** Fills in variables and lists the missing ones. */
export function fill<T>(value: T, path: string, { env, variables }: ResolveOptions, problems: BootProblem[]): T {
	const filled = interpolate(value, env, path);
	for (const [at, name] of filled.asked) variables?.set(at, name);
	learnOptions(filled.value);
	for (const { name, path: at } of filled.missing) {
		const message = `the environment variable ${name} is not set.`;
		problems.push(bootProblem('E_CONFIG_ENV', { owner: 'config', path: at }, message));
	}
	return filled.value;
}

/** What to do about a name that leads to nothing; undefined for the usual remedy. */
export function remedyOf(error: unknown): string | undefined {
	return error instanceof NotFound ? error.remedy : undefined;
}

/** The message of whatever was thrown, without its full stop. */
export function reason(error: unknown): string {
	return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
