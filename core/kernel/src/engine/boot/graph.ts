import type { Provides } from '../../contract/backend.ts';
import { type Needs, type ServiceRef, services } from '../../contract/service.ts';
import { type BootProblem, bootProblem } from './problem.ts';

/** A backend, a model or a plugin with the services that it needs and provides. */
export interface GraphNode {
	readonly owner: string;
	readonly path: string;
	readonly needs: Needs;
	readonly provides: readonly ServiceRef<unknown>[];
	/** True when a preset defines it. */
	readonly isInherited?: boolean;
}

/** The nodes, each after the nodes that it needs. */
export interface Graph<N extends GraphNode> {
	readonly order: readonly N[];
	/** By the id of the service. */
	readonly providers: ReadonlyMap<string, N>;
}

export const kernelServices: ReadonlySet<string> = new Set(
	[services.clock, services.log, services.jobKinds].map(({ id }) => id),
);

/** Pairs each ref of a `provides` declaration with the value that the owner has returned for it. */
export function providedValues(
	provides: Provides | undefined,
	returned?: unknown,
): readonly (readonly [ServiceRef<unknown>, unknown])[] {
	if (!provides) return [];
	if ((provides as { $kind?: unknown }).$kind === 'plinth.service') {
		return [[provides as ServiceRef<unknown>, returned]];
	}
	const values = (returned ?? {}) as Readonly<Record<string, unknown>>;
	return Object.entries(provides).map(([name, ref]) => [ref, values[name]]);
}

/** Orders nodes by their needs. Lists all missing services, duplicate providers and cycles. */
export function buildGraph<N extends GraphNode>(nodes: readonly N[], problems: BootProblem[]): Graph<N> {
	const providers = new Map<string, N>();
	for (const node of nodes) {
		for (const { id } of node.provides) {
			const other = providers.get(id);
			if (other || kernelServices.has(id)) problems.push(duplicate(id, node, other));
			else providers.set(id, node);
		}
	}
	for (const node of nodes) {
		for (const ref of Object.values(node.needs)) {
			if (ref.optional || kernelServices.has(ref.id) || providers.has(ref.id)) continue;
			problems.push(bootProblem('E_SERVICE_MISSING', node, `needs ${ref.id}, which nothing provides.`));
		}
	}
	return { order: sort(nodes, providers, problems), providers };
}

/** The problem of a second provider: usually a backend meant to replace the preset's, but with another name. */
function duplicate(id: string, node: GraphNode, other: GraphNode | undefined): BootProblem {
	if (!other?.isInherited) {
		const by = other ? `${other.owner} (${other.path})` : 'the kernel';
		return bootProblem('E_SERVICE_DUPLICATE', node, `provides ${id}, which ${by} provides too.`);
	}
	const [section = '', name = ''] = other.path.split(/\.(.*)/s);
	const message = `provides ${id}, which the preset defines as ${other.path}.`;
	const remedy = `Name yours ${name} to replace it, or remove it: ${section}: { ${name}: false }.`;
	return bootProblem('E_SERVICE_DUPLICATE', node, message, remedy);
}

/** Depth first in the order of `nodes`, so that the result is stable. A cycle is reported once, as a path. */
function sort<N extends GraphNode>(
	nodes: readonly N[],
	providers: ReadonlyMap<string, N>,
	problems: BootProblem[],
): readonly N[] {
	const order: N[] = [];
	const state = new Map<N, 'open' | 'done'>();

	const visit = (node: N, ancestors: readonly N[]): void => {
		if (state.get(node) === 'done') return;
		if (state.get(node) === 'open') {
			const cycle = [...ancestors.slice(ancestors.indexOf(node)), node].map(({ owner }) => owner);
			problems.push(bootProblem('E_SERVICE_CYCLE', node, `needs itself in a cycle: ${cycle.join(' -> ')}.`));
			return;
		}
		state.set(node, 'open');
		for (const { id } of Object.values(node.needs)) {
			const provider = providers.get(id);
			if (provider) visit(provider, [...ancestors, node]);
		}
		state.set(node, 'done');
		order.push(node);
	};

	for (const node of nodes) visit(node, []);
	return order;
}
