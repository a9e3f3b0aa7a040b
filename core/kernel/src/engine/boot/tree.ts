import type { BootTree } from '../../contract/app.ts';
import type { ModelDirectory } from '../../models/directory.ts';
import { kernelServices } from './graph.ts';
import type { BootPlan, Part } from './plan.ts';
import type { PluginSetups } from './setup.ts';

export function bootTree(plan: BootPlan, { routes }: PluginSetups, models: ModelDirectory): BootTree {
	const { graph, pools, unused } = plan;
	const provider = (id: string) => graph.providers.get(id)?.owner ?? (kernelServices.has(id) ? 'kernel' : null);
	const needsOf = ({ needs }: Part) =>
		[...new Set(Object.values(needs).map(({ id }) => id))].map((id) => ({ service: id, provider: provider(id) }));
	const routesOf = (plugin: string) =>
		[...routes.owners].flatMap(([{ method, path }, owner]) => (owner === plugin ? [`${method} ${path}`] : []));
	const scopes = new Set([...routes.owners.keys()].map(({ scope }) => scope));
	return {
		parts: [
			...graph.order.map((part) => ({
				owner: part.owner,
				factory: part.kind === 'plugin' ? part.definition.id : part.definition.name,
				needs: needsOf(part),
				provides: part.provides.map(({ id }) => id),
				routes: part.kind === 'plugin' ? routesOf(part.id) : [],
				jobs: part.kind === 'plugin' ? (part.definition.jobs ?? []) : [],
			})),
			...Object.entries(pools).map(([id, { balance }]) => {
				const factory = Object.entries(balance).map((share) => share.join(': '));
				return { owner: `pool ${id}`, factory: factory.join(', '), needs: [], provides: [], routes: [], jobs: [] };
			}),
		],
		models: models.all(),
		unusedModels: unused,
		scopes: [...scopes].filter((scope) => scope !== 'public' && scope !== 'authenticated').sort(),
	};
}
