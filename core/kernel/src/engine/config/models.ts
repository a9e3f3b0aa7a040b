import type { z } from 'zod';
import type { ModelInstance } from '../../contract/model.ts';
import {
	modelBindingShape,
	modelGroupShape,
	modelPoolShape,
	type ResolvedGroup,
	type ResolvedModel,
	type ResolvedPool,
} from '../../contract/model-settings.ts';
import { pathName } from '../../contract/words.ts';
import { bootProblem } from '../boot/problem.ts';
import { describeIssue } from './describe-issue.ts';
import { type Entry, instantiate, type Resolution } from './instantiate.ts';
import { fill } from './variables.ts';

/** Finds the factories of models and reads the other options. Problems are listed. */
export async function resolveModels(
	entries: ReadonlyMap<string, Entry>,
	resolution: Resolution,
): Promise<{ readonly models: Record<string, ResolvedModel>; readonly pools: Record<string, ResolvedPool> }> {
	const models: Record<string, ResolvedModel> = {};
	const pools: Record<string, ResolvedPool> = {};
	for (const [id, entry] of entries) {
		if ('balance' in entry && !('use' in entry)) {
			const pool = read(modelPoolShape, entry, `models.${id}`, resolution);
			if (pool.balance) pools[id] = { ...pool, balance: pool.balance };
			continue;
		}
		const { use, with: options, ...binding } = entry;
		const model = await instantiate<ModelInstance>({ use, ...(options && { with: options }) }, 'model', id, resolution);
		const settings = read(modelBindingShape, binding, `models.${id}`, resolution);
		if (settings.waiting !== undefined && !('concurrency' in binding)) {
			const place = { owner: `model ${id}`, path: `models.${id}.waiting` };
			const message = 'has no effect without concurrency.';
			resolution.problems.push(bootProblem('E_CONFIG_SHAPE', place, message, 'Set concurrency too, or remove it.'));
		}
		if (model) models[id] = { ...settings, use: model };
	}
	return { models, pools };
}

export function resolveGroups(
	entries: ReadonlyMap<string, Entry>,
	resolution: Resolution,
): Record<string, ResolvedGroup> {
	const groups: Record<string, ResolvedGroup> = {};
	for (const [id, entry] of entries) {
		const { models, ...group } = read(modelGroupShape, entry, `groups.${id}`, resolution);
		if (models) groups[id] = { ...modelGroupShape.parse({ models }), ...group };
	}
	return groups;
}

/** Reads an entry and lists its problems. Returns the valid members, so that everything else can still be checked. */
function read<S extends z.ZodObject>(
	schema: S,
	entry: object,
	place: string,
	resolution: Resolution,
): Partial<z.output<S>> {
	const { variables, problems } = resolution;
	const value = fill(entry, place, resolution);
	const parsed = schema.safeParse(value, { jitless: true });
	if (parsed.success) return parsed.data;
	const invalid = new Set<PropertyKey>();
	const owner = place.replace(/^(\w+)s\./, '$1 ');
	for (const issue of parsed.error.issues) {
		const path = pathName([place, ...issue.path]);
		for (const key of issue.code === 'unrecognized_keys' ? issue.keys : []) invalid.add(key);
		if (issue.path[0] !== undefined) invalid.add(issue.path[0]);
		// A missing variable is already reported by its name.
		if (problems.some((other) => other.code === 'E_CONFIG_ENV' && other.path === path)) continue;
		const { message, remedy } = describeIssue(issue, { schema, value, at: path, variables });
		problems.push(bootProblem('E_CONFIG_SHAPE', { owner, path }, message, otherForm(issue) ?? remedy));
	}
	const valid = Object.entries(value).filter(([key]) => !invalid.has(key));
	return schema.partial().safeParse(Object.fromEntries(valid)).data as Partial<z.output<S>>;
}

/** The remedy for options of a pool at a model, or of a model at a pool; undefined for all others. */
function otherForm(issue: z.core.$ZodIssue): string | undefined {
	if (issue.code !== 'unrecognized_keys') return undefined;
	if (issue.keys.includes('balance')) return 'A model has use, a pool has balance: give each an id of its own.';
	const modelOption = issue.keys.find((key) => key in modelBindingShape.shape || key === 'with');
	return modelOption && `A pool has no ${modelOption} of its own: set it at its members.`;
}
