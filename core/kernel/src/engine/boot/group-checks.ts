import { unknownNames } from '../config/describe-issue.ts';
import type { ResolvedConfig } from '../config/resolve.ts';
import { type BootProblem, bootProblem } from './problem.ts';

/** Checks groups of models: their names, and whether each model fits. */
export function checkGroups({ groups, models, pools }: ResolvedConfig, problems: BootProblem[]): void {
	const report = (owner: string, path: string, message: string, remedy: string) =>
		problems.push(bootProblem('E_CONFIG_SHAPE', { owner, path }, message, remedy));
	const groupOf = new Map<string, string>();
	for (const [id, { models: names, exclusive = false, memory }] of Object.entries(groups)) {
		const owner = `group ${id}`;
		if (exclusive === (memory !== undefined)) {
			report(owner, `groups.${id}`, 'needs either exclusive: true or memory.', 'Set one of the two.');
		}
		for (const [index, name] of names.entries()) {
			const path = `groups.${id}.models[${index}]`;
			const model = models[name];
			if (!model) {
				const what = pools[name] ? 'which is a pool' : 'and there is no model with that id';
				const remedy = pools[name] ? 'Name its members.' : unknownNames([name], Object.keys(models));
				report(owner, path, `names ${name}, ${what}.`, remedy);
			} else if (groupOf.has(name)) {
				report(owner, path, `names ${name}, which is in ${groupOf.get(name)} already.`, 'Remove one of the two.');
			} else if (memory !== undefined && (model.memory ?? Number.POSITIVE_INFINITY) > memory) {
				const lack = model.memory === undefined ? 'says nothing of its memory' : 'needs more memory than the group has';
				report(owner, path, `names ${name}, which ${lack}.`, `Set models.${name}.memory to what it takes.`);
			}
			groupOf.set(name, owner);
		}
	}
	for (const [name, { memory }] of Object.entries(models)) {
		const isUsed = Object.values(groups).some((group) => group.memory !== undefined && group.models.includes(name));
		if (memory === undefined || isUsed) continue;
		const remedy = 'Name the model in a group that has memory, or remove it.';
		report(`model ${name}`, `models.${name}.memory`, 'has no effect without such a group.', remedy);
	}
}
