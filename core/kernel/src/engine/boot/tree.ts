import type { BootTree, TreePart } from '../../contract/boot-tree.ts';
import type { Route } from '../../contract/http/route.ts';
import type { ResolvedPool } from '../../models/binding.ts';
import type { ModelDirectory } from '../../models/directory.ts';
import type { BootPlan } from './plan.ts';
import type { PluginSetups } from './setup.ts';

/** Describes what a plan has become. */
export function bootTree(plan: BootPlan, setups: PluginSetups, models: ModelDirectory): BootTree {
	const provider = (id: string) => plan.graph.providers.get(id)?.owner ?? (plan.given.has(id) ? 'kernel' : null);
	return {
		parts: [
			...plan.graph.order.map((part) => ({
				owner: part.owner,
				factory: part.kind === 'plugin' ? part.definition.id : part.definition.name,
				needs: [...new Set(Object.values(part.needs).map(({ id }) => id))].map((id) => ({
					service: id,
					provider: provider(id),
				})),
				provides: part.provides.map(({ id }) => id),
				routes: [...setups.routes.owners]
					.filter(([, owner]) => part.kind === 'plugin' && owner === part.id)
					.map(([route]) => `${route.method} ${route.path}`),
				jobs: part.kind === 'plugin' ? (part.definition.jobs ?? []) : [],
			})),
			...Object.entries(plan.pools).map(poolPart),
		],
		models: models.all(),
		unusedModels: plan.unused,
		scopes: scopesOf(setups.routes.owners.keys()),
	};
}

function poolPart([id, { balance }]: readonly [string, ResolvedPool]): TreePart {
	const shares = Object.entries(balance).map(([member, weight]) => `${member}: ${weight}`);
	return {
		owner: `pool ${id}`,
		factory: shares.join(', '),
		needs: [],
		provides: [],
		routes: [],
		jobs: [],
	};
}

function scopesOf(routes: Iterable<Route>): readonly string[] {
	const scopes = new Set([...routes].map(({ scope }) => scope));
	return [...scopes].filter((scope) => scope !== 'public' && scope !== 'authenticated').sort();
}
