import { learnOptions } from '../../contract/errors/redact.ts';
import { type BootProblem, bootProblem } from '../boot/problem.ts';
import { findFactory, type Instance, type InstanceKind } from './find-factory.ts';
import { NotFound } from './import-from.ts';
import { interpolate } from './interpolate.ts';

/** Where names and variables come from, and what the resolution of a config collects. */
export interface Resolution {
	/** The folder from which package names resolve. */
	readonly folder: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	/** By config path, the variable that a value came from. */
	readonly variables: Map<string, string>;
	readonly problems: BootProblem[];
}

/** Finds and calls the factory of an entry, unless it was called. Undefined for a mistake, which is listed. */
export async function instantiate<T extends Instance>(
	value: unknown,
	kind: InstanceKind,
	id: string,
	resolution: Resolution,
): Promise<T | undefined> {
	const place = { owner: `${kind} ${id}`, path: `${kind}s.${id}` };
	const misshapen = (message: string) => {
		resolution.problems.push(bootProblem('E_CONFIG_SHAPE', place, message));
		return undefined;
	};
	if ((value as T).$kind === `plinth.${kind}`) {
		const instance = value as T;
		return { ...instance, options: fill(instance.options, `${place.path}.with`, resolution) };
	}
	const { use, with: given = {}, ...unknown } = value as { use?: unknown; with?: unknown };
	if (use === undefined) {
		// The commonest mistake: to change only the options of what a preset brings.
		return 'with' in (value as object)
			? misshapen('has options but no use. A key replaces the whole entry of a preset: repeat its use.')
			: misshapen('must be a factory call, { use, with }, or false.');
	}
	if (typeof use !== 'string') return misshapen(`is not a ${kind}.`);
	const [key] = Object.keys(unknown);
	if (key !== undefined) {
		return misshapen(`"${key}" is not known here: only use and with are. Options go under with.`);
	}
	const name = fill(use, `${place.path}.use`, resolution);
	try {
		const factory = await findFactory(name, kind, resolution.folder);
		return factory(fill(given, `${place.path}.with`, resolution)) as T;
	} catch (error) {
		resolution.problems.push(loadProblem(error, place, `"${name}"`));
		return undefined;
	}
}

/** Fills in variables and lists the missing ones. */
export function fill<T>(value: T, path: string, { env, variables, problems }: Resolution): T {
	const filled = interpolate(value, env, path);
	for (const [at, name] of filled.asked) variables.set(at, name);
	learnOptions(filled.value);
	for (const { name, path: at } of filled.missing) {
		const message = `the environment variable ${name} is not set.`;
		problems.push(bootProblem('E_CONFIG_ENV', { owner: 'config', path: at }, message));
	}
	return filled.value;
}

/** The problem of a name that resolves to nothing, or of a package that fails while it loads. */
export function loadProblem(error: unknown, place: Pick<BootProblem, 'owner' | 'path'>, what: string): BootProblem {
	const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
	const message = `${what} cannot be loaded: ${reason}.`;
	return error instanceof NotFound
		? bootProblem('E_CONFIG_NAME', place, message, error.remedy)
		: bootProblem('E_CONFIG_LOAD', place, message);
}
