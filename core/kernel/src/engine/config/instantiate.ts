import type { Instance, InstanceKind } from '../../contract/factory.ts';
import { type BootProblem, bootProblem } from '../boot/problem.ts';
import { findFactory } from './find-factory.ts';
import { NotFound, type PackageFolders } from './import-from.ts';
import { fill, type Variables } from './variables.ts';

export interface Resolution extends PackageFolders, Variables {}

/** An entry of a section after all layers are merged. For a factory call alone, it is in `use`. */
export type Entry = { readonly use?: unknown; readonly with?: object } & Readonly<Record<string, unknown>>;

/** Finds the factory of an entry and calls it, unless it was called. Undefined for a problem, which is listed. */
export async function instantiate<T extends Instance>(
	{ use, with: options, ...others }: Entry,
	kind: InstanceKind,
	id: string,
	resolution: Resolution,
): Promise<T | undefined> {
	const place = { owner: `${kind} ${id}`, path: `${kind}s.${id}` };
	const refuse = (message: string, remedy?: string) => {
		resolution.problems.push(bootProblem('E_CONFIG_SHAPE', place, message, remedy));
		return undefined;
	};
	if (use === undefined) {
		return options
			? refuse(`has options but no use, and no preset defines ${place.path}.`, 'Correct the spelling, or add use.')
			: refuse('must be a factory call, { use, with }, or false.');
	}
	const [key] = Object.keys(others);
	if (key !== undefined) return refuse(`"${key}" is not known here: only use and with are. Options go under with.`);
	const [, actualKind] = /^plinth\.(backend|model|plugin)$/.exec(String((use as Partial<T> | null)?.$kind)) ?? [];
	if (actualKind === kind) {
		const { options: ownOptions, ...instance } = use as T;
		const merged = options ? { ...(ownOptions as object), ...options } : ownOptions;
		return { ...instance, options: fill(merged, `${place.path}.with`, resolution) } as T;
	}
	if (actualKind) return refuse(`is a ${actualKind}, and a ${kind} belongs here.`, `Move it to ${actualKind}s.`);
	if (typeof use !== 'string') return refuse(`is not a ${kind}.`);
	const name = fill(use, `${place.path}.use`, resolution);
	try {
		const factory = await findFactory(name, kind, resolution);
		return factory(fill(options ?? {}, `${place.path}.with`, resolution)) as T;
	} catch (error) {
		resolution.problems.push(loadProblem(error, place, `"${name}"`));
		return undefined;
	}
}

export function loadProblem(error: unknown, place: Pick<BootProblem, 'owner' | 'path'>, what: string): BootProblem {
	const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
	const message = `${what} cannot be loaded: ${reason}.`;
	return error instanceof NotFound
		? bootProblem('E_CONFIG_NAME', place, message, error.remedy)
		: bootProblem('E_CONFIG_LOAD', place, message);
}
