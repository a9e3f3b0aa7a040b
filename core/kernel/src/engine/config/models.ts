import type { z } from 'zod';
import type { ModelInstance } from '../../contract/model.ts';
import {
	modelBindingShape,
	modelGroupShape,
	modelPoolShape,
	type ResolvedGroup,
	type ResolvedModel,
	type ResolvedPool,
} from '../../models/binding.ts';
import { bootProblem } from '../boot/problem.ts';
import { describeIssue } from './describe-issue.ts';
import { fill, instantiate, type Resolution } from './instantiate.ts';

/** The value under a key of a section when all layers are merged. */
export interface ConfigEntry {
	readonly value: object;
	/** True when a preset brought it. */
	readonly inherited: boolean;
}

/** Finds the factories of models and reads the options beside them. Mistakes are listed. */
export async function resolveModels(
	entries: ReadonlyMap<string, ConfigEntry>,
	resolution: Resolution,
): Promise<{ readonly models: Record<string, ResolvedModel>; readonly pools: Record<string, ResolvedPool> }> {
	const models: Record<string, ResolvedModel> = {};
	const pools: Record<string, ResolvedPool> = {};
	for (const [id, { value, inherited }] of entries) {
		if (isPool(value)) {
			const pool = read(modelPoolShape, value, `models.${id}`, resolution);
			if (pool.balance) pools[id] = { ...pool, balance: pool.balance, inherited };
			continue;
		}
		const { use, binding } = splitBinding(value);
		const found = await instantiate<ModelInstance>(use, 'model', id, resolution);
		const rest = read(modelBindingShape, binding, `models.${id}`, resolution);
		if (rest.waiting !== undefined && !('concurrency' in binding)) {
			const place = { owner: `model ${id}`, path: `models.${id}.waiting` };
			const message = 'has no effect without concurrency.';
			const remedy = 'Set concurrency too, or remove it.';
			resolution.problems.push(bootProblem('E_CONFIG_SHAPE', place, message, remedy));
		}
		if (found) models[id] = { ...rest, use: found, inherited };
	}
	return { models, pools };
}

/** Reads the groups of models. Mistakes are listed. */
export function resolveGroups(
	entries: ReadonlyMap<string, ConfigEntry>,
	resolution: Resolution,
): Record<string, ResolvedGroup> {
	const groups: Record<string, ResolvedGroup> = {};
	for (const [id, { value }] of entries) {
		const { models, ...group } = read(modelGroupShape, value, `groups.${id}`, resolution);
		if (models) groups[id] = { ...modelGroupShape.parse({ models }), ...group };
	}
	return groups;
}

function isPool(value: unknown): value is object {
	const entry = value as object;
	return 'balance' in entry && !('$kind' in entry) && !('use' in entry);
}

function splitBinding(value: unknown): { use: unknown; binding: object } {
	const { $kind, use, with: options, ...binding } = value as { $kind?: unknown; use?: unknown; with?: object };
	if ($kind !== undefined) return { use: value, binding: {} };
	return { use: { ...(use === undefined ? {} : { use }), ...(options ? { with: options } : {}) }, binding };
}

/** Reads an entry and lists its mistakes. The valid members are returned, so that everything else can be checked. */
function read<S extends z.ZodObject>(
	schema: S,
	given: object,
	place: string,
	resolution: Resolution,
): Partial<z.output<S>> {
	const { variables, problems } = resolution;
	const value = fill(given, place, resolution);
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	const wrong = new Set<PropertyKey>();
	const owner = place.replace(/^(\w+)s\./, '$1 ');
	for (const issue of parsed.error.issues) {
		// As variables are listed: `fallback[0]`.
		const steps = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
		const path = `${place}${steps.join('')}`;
		for (const key of issue.code === 'unrecognized_keys' ? issue.keys : []) wrong.add(key);
		if (issue.path[0] !== undefined) wrong.add(issue.path[0]);
		// A missing variable has been reported by its name.
		if (problems.some((other) => other.code === 'E_CONFIG_ENV' && other.path === path)) continue;
		const { message, remedy } = describeIssue(issue, { schema, value, variable: variables.get(path) });
		problems.push(bootProblem('E_CONFIG_SHAPE', { owner, path }, message, otherForm(issue) ?? remedy));
	}
	const right = Object.entries(value).filter(([key]) => !wrong.has(key));
	return schema.partial().safeParse(Object.fromEntries(right)).data as Partial<z.output<S>>;
}

/** A remedy for options that belong to the other form; undefined for all others. */
function otherForm(issue: z.core.$ZodIssue): string | undefined {
	if (issue.code !== 'unrecognized_keys') return undefined;
	if (issue.keys.includes('balance')) {
		return 'A model has use, a pool has balance: give each an id of its own.';
	}
	const ofModel = issue.keys.find((key) => key in modelBindingShape.shape || key === 'with');
	return ofModel && `A pool has no ${ofModel} of its own: set it at its members.`;
}
