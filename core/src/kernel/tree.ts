import type { ResolvedPool } from '../config/models.ts';
import type { Route } from '../http/route.ts';
import type { ModelInfo } from '../http/system.ts';
import type { ModelDirectory } from '../models/directory.ts';
import type { UnusedModel } from './model-checks.ts';
import type { BootPlan } from './plan.ts';
import type { PluginSetups } from './setup.ts';

/** Who satisfies one need. */
export interface TreeNeed {
	readonly service: string;
	/** `backend jobs`, `kernel`, or null for an optional service that nobody provides. */
	readonly provider: string | null;
}

/** One part of a deployment. */
export interface TreePart {
	readonly owner: string;
	/** The factory behind it: `sqliteJobs`, `builtin.video`; of a pool what it balances: `a: 3, b: 1`. */
	readonly factory: string;
	readonly needs: readonly TreeNeed[];
	readonly provides: readonly string[];
	readonly routes: readonly string[];
	/** The kinds of jobs that a plugin runs. */
	readonly jobs: readonly string[];
}

/** A model or pool, and what stands in for it. */
export interface TreeModel extends ModelInfo {
	/** Ids or aliases, in the order in which they are asked. */
	readonly fallback: readonly string[];
}

/** A deployment as people read it: parts in the order of their creation. */
export interface BootTree {
	readonly parts: readonly TreePart[];
	/** With those that `/v1/models` leaves out. */
	readonly models: readonly TreeModel[];
	readonly unusedModels: readonly UnusedModel[];
	/** Every scope that a route asks for, sorted. */
	readonly scopes: readonly string[];
}

/** Describes what a plan has become. */
export function bootTree(plan: BootPlan, setups: PluginSetups, models: ModelDirectory): BootTree {
	const provider = (id: string) =>
		plan.graph.providers.get(id)?.owner ?? (plan.given.has(id) ? 'kernel' : null);
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
