import type { z } from 'zod';
import type { ModelInstance } from '../../contract/model.ts';
import { modelBindingShape, modelPoolShape, type ResolvedModel, type ResolvedPool } from '../../models/binding.ts';
import { type BootProblem, bootProblem } from '../boot/problem.ts';
import { describeIssue } from './describe-issue.ts';
import { fill, instantiate, type ResolveOptions } from './factories.ts';

/** What stands under a key of a section when all layers are merged. */
export interface ConfigEntry {
	readonly value: unknown;
	/** True when a preset brought it. */
	readonly inherited: boolean;
}

/** The entries under `models`, in their two forms. */
export interface ResolvedModels {
	readonly models: Readonly<Record<string, ResolvedModel>>;
	readonly pools: Readonly<Record<string, ResolvedPool>>;
}

/** Finds the factories of models and reads what stands beside them; what is wrong is listed. */
export async function resolveModels(
	entries: ReadonlyMap<string, ConfigEntry>,
	options: ResolveOptions,
	problems: BootProblem[],
): Promise<ResolvedModels> {
	const models: Record<string, ResolvedModel> = {};
	const pools: Record<string, ResolvedPool> = {};
	for (const [id, { value, inherited }] of entries) {
		const path = `models.${id}`;
		const read = <S extends z.ZodObject>(shape: S, given: object) =>
			check(shape, fill(given, path, options, problems), { id, variables: options.variables }, problems);
		if (isPool(value)) {
			const pool = read(modelPoolShape, value);
			if (pool.balance) pools[id] = { ...pool, balance: pool.balance, inherited };
			continue;
		}
		const { use, binding } = splitBinding(value);
		const found = await instantiate(use, 'plinth.model', path, options, problems);
		const rest = read(modelBindingShape, binding);
		if (rest.waiting !== undefined && !('concurrency' in binding)) {
			problems.push(waitingAlone(id));
		}
		if (found) models[id] = { ...rest, use: found as ModelInstance, inherited };
	}
	return { models, pools };
}

function waitingAlone(id: string): BootProblem {
	const place = { owner: `model ${id}`, path: `models.${id}.waiting` };
	const message = 'has no effect without concurrency.';
	return bootProblem('E_CONFIG_SHAPE', place, message, 'Set concurrency too, or remove it.');
}

function isPool(value: unknown): value is object {
	const entry = value as object;
	return 'balance' in entry && !('$kind' in entry) && !('use' in entry);
}

function splitBinding(value: unknown): { use: unknown; binding: object } {
	const entry = value as { $kind?: unknown; use?: unknown; with?: unknown };
	const { use, with: options, ...binding } = entry;
	if (entry.$kind !== undefined) return { use: value, binding: {} };
	if (typeof use === 'string') return { use: { use, ...(options ? { with: options } : {}) }, binding };
	// A factory call has its options already: what stands beside it is reported as unknown.
	if (use === undefined || options === undefined) return { use: use ?? value, binding };
	return { use, binding: { ...binding, with: options } };
}

/** Reads a value and lists its mistakes. The valid members are returned, so that everything else can be checked. */
function check<S extends z.ZodObject>(
	shape: S,
	value: object,
	{ id, variables }: { readonly id: string; readonly variables: ReadonlyMap<string, string> | undefined },
	problems: BootProblem[],
): Partial<z.output<S>> {
	const parsed = shape.safeParse(value);
	if (parsed.success) return parsed.data;
	const wrong = new Set<PropertyKey>();
	for (const issue of parsed.error.issues) {
		const at = `models.${id}${issue.path.map(step).join('')}`;
		for (const key of issue.code === 'unrecognized_keys' ? issue.keys : []) wrong.add(key);
		if (issue.path[0] !== undefined) wrong.add(issue.path[0]);
		// A variable that is missing has been reported by its name.
		if (problems.some(({ code, path }) => code === 'E_CONFIG_ENV' && path === at)) continue;
		const words = describeIssue(issue, { schema: shape, value, variable: variables?.get(at) });
		const remedy = otherForm(issue) ?? words.remedy;
		const place = { owner: `model ${id}`, path: at };
		problems.push(bootProblem('E_CONFIG_SHAPE', place, words.message, remedy));
	}
	const right = Object.entries(value).filter(([key]) => !wrong.has(key));
	return shape.partial().safeParse(Object.fromEntries(right)).data as Partial<z.output<S>>;
}

/** As variables are listed: `fallback[0]`. */
function step(key: PropertyKey): string {
	return typeof key === 'number' ? `[${key}]` : `.${String(key)}`;
}

/** What is meant by options that belong to the other form; undefined for all others. */
function otherForm(issue: z.core.$ZodIssue): string | undefined {
	if (issue.code !== 'unrecognized_keys') return undefined;
	if (issue.keys.includes('balance')) {
		return 'A model has use, a pool has balance: give each an id of its own.';
	}
	const ofModel = issue.keys.find((key) => key in modelBindingShape.shape || key === 'with');
	return ofModel && `A pool has no ${ofModel} of its own: set it at its members.`;
}
