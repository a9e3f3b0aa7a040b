import type { Provides } from '../../contract/backend.ts';
import type { Needs, ServiceRef } from '../../contract/service.ts';
import { type BootProblem, bootProblem } from './problem.ts';

/** Something that needs services and provides services: a backend, a model, a plugin. */
export interface GraphNode {
	/** `backend jobs`, `model clip-1`, `plugin video` */
	readonly owner: string;
	/** `plugins.video` */
	readonly path: string;
	readonly needs: Needs;
	readonly provides: readonly ServiceRef<unknown>[];
	/** True when a preset brought it. */
	readonly isInherited?: boolean;
}

/** Nodes in an order in which everything comes after what it needs. */
export interface Graph<N extends GraphNode> {
	readonly order: readonly N[];
	/** Who provides a service, by its id. */
	readonly providers: ReadonlyMap<string, N>;
	readonly problems: readonly BootProblem[];
}

/** Lists the refs of a `provides` declaration. */
export function providedRefs(provides: Provides | undefined): readonly ServiceRef<unknown>[] {
	if (!provides) return [];
	return isRef(provides) ? [provides] : Object.values(provides);
}

function isRef(provides: Provides): provides is ServiceRef<unknown> {
	return (provides as { $kind?: unknown }).$kind === 'plinth.service';
}

/** Pairs each provided ref with what the owner returned for it; undefined values are the owner's mistake. */
export function providedValues(
	provides: Provides | undefined,
	returned: unknown,
): readonly (readonly [ServiceRef<unknown>, unknown])[] {
	if (!provides) return [];
	if (isRef(provides)) return [[provides, returned]];
	const values = (returned ?? {}) as Readonly<Record<string, unknown>>;
	return Object.entries(provides).map(([name, ref]) => [ref, values[name]]);
}

/** Orders nodes by their needs. Missing and doubly provided services and circles are problems, all of them listed. */
export function buildGraph<N extends GraphNode>(nodes: readonly N[], given: ReadonlySet<string>): Graph<N> {
	const problems: BootProblem[] = [];
	const providers = new Map<string, N>();
	for (const node of nodes) {
		for (const { id } of node.provides) {
			const other = providers.get(id);
			if (other || given.has(id)) problems.push(duplicate(id, node, other));
			else providers.set(id, node);
		}
	}
	for (const node of nodes) {
		for (const ref of Object.values(node.needs)) {
			if (ref.optional || given.has(ref.id) || providers.has(ref.id)) continue;
			const message = `needs ${ref.id}, which nothing provides.`;
			problems.push(bootProblem('E_SERVICE_MISSING', node, message));
		}
	}
	return { order: sort(nodes, providers, problems), providers, problems };
}

/** Usually a backend that should replace the preset's, but has another name. */
function duplicate(id: string, node: GraphNode, other: GraphNode | undefined): BootProblem {
	if (!other?.isInherited) {
		const by = other ? `${other.owner} (${other.path})` : 'the kernel';
		const message = `provides ${id}, which ${by} provides too.`;
		return bootProblem('E_SERVICE_DUPLICATE', node, message);
	}
	const [section = '', name = ''] = other.path.split(/\.(.*)/s);
	const message = `provides ${id}, which the preset brings as ${other.path}.`;
	const remedy = `Name yours ${name} to replace it, or remove it: ${section}: { ${name}: false }.`;
	return bootProblem('E_SERVICE_DUPLICATE', node, message, remedy);
}

/** Depth first in the given order, so that the result is stable; a circle is reported once, as a path. */
function sort<N extends GraphNode>(
	nodes: readonly N[],
	providers: ReadonlyMap<string, N>,
	problems: BootProblem[],
): readonly N[] {
	const order: N[] = [];
	const state = new Map<N, 'open' | 'done'>();

	const visit = (node: N, trail: readonly N[]): void => {
		if (state.get(node) === 'done') return;
		if (state.get(node) === 'open') {
			const cycle = [...trail.slice(trail.indexOf(node)), node].map(({ owner }) => owner);
			const message = `needs itself in a cycle: ${cycle.join(' -> ')}.`;
			problems.push(bootProblem('E_SERVICE_CYCLE', node, message));
			return;
		}
		state.set(node, 'open');
		for (const { id } of Object.values(node.needs)) {
			const provider = providers.get(id);
			if (provider) visit(provider, [...trail, node]);
		}
		state.set(node, 'done');
		order.push(node);
	};

	for (const node of nodes) visit(node, []);
	return order;
}
