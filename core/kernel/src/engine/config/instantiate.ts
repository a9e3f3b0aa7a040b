import { learnOptions } from '../../contract/errors/redact.ts';
import { type BootProblem, bootProblem } from '../boot/problem.ts';
import { findFactory, type Instance, type InstanceKind } from './find-factory.ts';
import { NotFound, type PackageFolders } from './import-from.ts';
import { interpolate } from './interpolate.ts';

/** Where names and variables come from, and what the resolution of a config collects. */
export interface Resolution extends PackageFolders {
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
	const misshapen = (message: string, remedy?: string) => {
		resolution.problems.push(bootProblem('E_CONFIG_SHAPE', place, message, remedy));
		return undefined;
	};
	const isInstance = (given: unknown): given is T => (given as T)?.$kind === `plinth.${kind}`;
	if (isInstance(value)) return { ...value, options: fill(value.options, `${place.path}.with`, resolution) };
	const [, other] = /^plinth\.(backend|model|plugin)$/.exec(String((value as T).$kind)) ?? [];
	if (other) return misshapen(`is a ${other}, and a ${kind} belongs here.`, `Move it to ${other}s.`);
	const { use, with: given = {}, ...others } = value as { use?: unknown; with?: object };
	if (use === undefined) {
		return 'with' in (value as object)
			? misshapen(`has options but no use, and no preset brings ${place.path}.`, 'Correct the spelling, or add use.')
			: misshapen('must be a factory call, { use, with }, or false.');
	}
	const [key] = Object.keys(others);
	if (key !== undefined) {
		return misshapen(`"${key}" is not known here: only use and with are. Options go under with.`);
	}
	if (isInstance(use)) {
		return instantiate({ ...use, options: { ...(use.options as object), ...given } }, kind, id, resolution);
	}
	if (typeof use !== 'string') return misshapen(`is not a ${kind}.`);
	const name = fill(use, `${place.path}.use`, resolution);
	try {
		const factory = await findFactory(name, kind, resolution);
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
